import SenseProtocol

extension HapticPattern {
    /// The pattern as the slowest actuator of a device can be felt to play it: pulses and pauses last at least its
    /// shortest pulse. A rotating mass and a bed shaker know no crispness. Without a declared actuator nothing changes.
    func fitted(to actuators: [Actuator]) -> HapticPattern {
        let felt = actuators.filter { $0.kind != .flash }
        guard let shortestMs = felt.map(\.minPulseMs).max() else { return self }
        let isBlunt = felt.allSatisfy { $0.kind == .eccentricMass || $0.kind == .bedShaker }
        var fitted = self
        for i in fitted.steps.indices {
            fitted.steps[i].onMs = max(fitted.steps[i].onMs, shortestMs)
            // The last pause of a pattern that plays once separates nothing.
            let separates = i + 1 < fitted.steps.count || repeats > 1
            if separates { fitted.steps[i].offMs = max(fitted.steps[i].offMs, shortestMs) }
            if isBlunt { fitted.steps[i].sharpness = 0 }
        }
        return fitted
    }
}
