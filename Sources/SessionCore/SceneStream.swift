import Blindspot
import SenseProtocol

/// One scene stream: the newest scene, what was already said, and answers from it.
struct SceneStream: Sendable {
    /// Scenes older than this are not answered from as if they were now (PRODUCT 4.4).
    var latest: (scene: Scene, frameIndex: UInt64, receivedUs: UInt64)?
    var announcer = HazardAnnouncer()
    let unit: DistanceUnit
    var receivedFrames: UInt64 = 0
    var warnings = WarningCounter()
    var meter = RateMeter()

    init(_ format: SceneFormat) {
        unit = format.metric ? .metres : .feet
    }

    /// Takes a scene; returns the hazards to tell now.
    mutating func take(_ frame: SceneFrame, at now: Now) -> [SceneObjectReport] {
        let scene = Scene(objects: frame.objects.map(\.checked))
        latest = (scene, frame.frameIndex, now.serverUs)
        receivedFrames &+= 1
        meter.add(1, at: now)
        return announcer.announce(scene, nowUs: Int64(clamping: now.serverUs)).map {
            SceneObjectReport(object: $0, text: HazardPhrase.text(for: $0, unit: unit))
        }
    }

    func answer(_ question: String, at now: Now) -> SceneSummary {
        let age = latest.map { Int64(clamping: now.serverUs.since($0.receivedUs)) } ?? 0
        return SceneAnswerer(unit: unit).answer(question, about: latest?.scene, sceneAgeUs: age)
    }
}

/// A hazard with its words.
struct SceneObjectReport: Sendable {
    let object: Blindspot.SceneObject
    let text: String

    var wire: Hazard {
        Hazard(
            label: object.label, position: object.position.wire, distanceM: object.distanceM.map(Float.init),
            text: text, haptic: HazardHaptic(object).map(\.wire), trackId: object.trackID)
    }
}

extension SenseProtocol.SceneObject {
    var checked: Blindspot.SceneObject {
        let place: ScenePosition =
            switch position {
            case .left: .left
            case .center: .center
            case .right: .right
            case .unspecified, .unrecognized: .unknown
            }
        return Blindspot.SceneObject(
            label: label, position: place, distanceM: distanceM.map(Double.init),
            distanceText: legacyDistance,
            sigmaM: distanceSigmaM == 0 ? nil : Double(distanceSigmaM),
            confidence: confidence.map(Double.init),
            trackID: trackId)
    }
}

extension ScenePosition {
    var wire: Position {
        switch self {
        case .left: .left
        case .center: .center
        case .right: .right
        case .unknown: .unspecified
        }
    }
}

extension HazardHaptic {
    var wire: HapticPattern {
        let step = HapticStep(
            onMs: UInt32(Self.pulseMs), offMs: UInt32(Self.spacingMs - Self.pulseMs), intensity: intensity,
            sharpness: sharpness)
        return HapticPattern(
            patternId: self == .dangerAhead ? "danger_ahead" : "proximity", version: 1,
            steps: Array(repeating: step, count: pulses), repeats: 1)
    }
}
