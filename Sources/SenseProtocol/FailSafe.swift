// Fail-safe reading of enums (SPEC.md, "Unknown values"): what is missing or not known is taken for the reading that
// cannot hide something from a person.

extension Urgency {
    /// The urgency to act on: missing or unknown means urgent.
    public var effective: Urgency {
        switch self {
        case .unspecified, .unrecognized: .urgent
        case .info, .normal, .urgent, .lifeSafety: self
        }
    }

    /// Rank of `effective`, higher is more urgent: info 1 … life safety 4.
    public var rank: Int { Int(effective.rawValue) }
}

extension AlertState {
    /// Whether the alert is to be shown as going on: everything but `ended`.
    public var isOngoing: Bool { self != .ended }
}

extension Disposition {
    /// Whether somebody still has to answer: everything that is not known to be settled.
    public var needsAnswer: Bool {
        switch self {
        case .unspecified, .open, .unrecognized: true
        case .acknowledged, .resolved, .exhausted: false
        }
    }
}

extension ProtectionState {
    /// Whether the room may be called protected: only if it says so.
    public var isProtected: Bool { self == .protected }
}

extension HealthState {
    /// Whether the stream may be called healthy: only if it says so.
    public var isHealthy: Bool { self == .ok }
}

extension Role {
    /// What may be allowed: an unknown role has no rights, like `unspecified`.
    public var effective: Role { if case .unrecognized = self { .unspecified } else { self } }
}

extension CaptureMode {
    /// Whether alarms may have been removed before we heard them: yes, unless the capture is known to be raw.
    public var mayHideAlarms: Bool { self != .raw }
}

extension ErrorCode {
    /// Whether the code always ends the connection (SPEC.md, "Errors").
    public var isAlwaysFatal: Bool {
        switch self {
        case .malformed, .unauthenticated, .forbidden, .unsupportedVersion, .superseded: true
        default: false
        }
    }

    /// Close code of the WebSocket connection after a fatal error: the code itself, 4500 if it has none.
    public var closeCode: UInt16 {
        UInt16(exactly: rawValue).flatMap { $0 >= 4000 && $0 <= 4999 ? $0 : nil } ?? 4500
    }
}
