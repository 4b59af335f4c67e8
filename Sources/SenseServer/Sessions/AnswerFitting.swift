import SenseProtocol

/// Makes a message fit the largest frame its device takes, leaving out first what matters least to a person.
struct AnswerFitting {
    /// Largest frame of the device.
    let maxBytes: Int
    /// Room of the device; its protection stays in a Welcome longest.
    let room: String
    /// Binary or JSON.
    let encode: (Envelope) -> [UInt8]

    private typealias Step = (inout Envelope.Body) -> Void

    /// The encoded message, perhaps with less in it; nil if it cannot be made to fit.
    ///
    /// An alert in binary form always fits 512 bytes, the smallest limit a device may declare: that one sounds, how
    /// urgent it is and where are never left out.
    func fitted(_ envelope: Envelope) -> [UInt8]? {
        var bytes = encode(envelope)
        guard bytes.count > maxBytes, var body = envelope.body else {
            return bytes.count > maxBytes ? nil : bytes
        }
        for step in steps(body) {
            step(&body)
            var smaller = envelope
            smaller.body = body
            bytes = encode(smaller)
            if bytes.count <= maxBytes { return bytes }
        }
        return nil
    }

    private func steps(_ body: Envelope.Body) -> [Step] {
        switch body {
        case .alert: Self.alertSteps
        case .historyPage: Self.historySteps
        case .welcome: welcomeSteps
        case .error: Self.errorSteps
        default: []
        }
    }

    /// `pattern_id` stays: a small device knows the patterns by it.
    private static var alertSteps: [Step] {
        [
            { changeAlert(&$0) { $0.message = "" } },
            { changeAlert(&$0) { $0.haptic?.steps = [] } },
            { changeAlert(&$0) { ($0.acknowledgedBy, $0.deviceId, $0.trueLabel) = ("", "", "") } },
            { changeAlert(&$0) { ($0.onsetServerUs, $0.onsetSampleIndex, $0.durationMs) = (0, 0, 0) } },
        ]
    }

    private static var historySteps: [Step] {
        [
            { changeEntries(&$0) { ($0.receipts, $0.feedback) = ([], []) } },
            // The label that is wrong most often comes first.
            { changePage(&$0) { $0.rates = Array($0.rates.prefix(8)) } },
            { changeEntries(&$0) { $0.alert?.haptic?.steps = [] } },
            { changeEntries(&$0) { $0.alert?.message = "" } },
            { changePage(&$0) { $0.rates = [] } },
        ]
    }

    private var welcomeSteps: [Step] {
        [
            { body in
                changeWelcome(&body) { welcome in
                    welcome.models = welcome.models.map { model in
                        var short = model
                        short.labels = []
                        return short
                    }
                }
            },
            { [room] body in changeWelcome(&body) { $0.rooms.removeAll { $0.room != room } } },
            { changeWelcome(&$0) { $0.models = [] } },
            { body in
                // Which features are missing stays; why, and what to do instead, goes.
                changeWelcome(&body) { welcome in
                    welcome.unavailable = welcome.unavailable.map { Unavailable(feature: $0.feature) }
                }
            },
        ]
    }

    private static var errorSteps: [Step] {
        [
            { changeError(&$0) { $0.devMessage = String($0.devMessage.prefix(80)) } },
            { changeError(&$0) { ($0.devMessage, $0.field) = ("", "") } },
        ]
    }
}

private func changeAlert(_ body: inout Envelope.Body, _ edit: (inout Alert) -> Void) {
    guard case .alert(var alert) = body else { return }
    edit(&alert)
    body = .alert(alert)
}

private func changePage(_ body: inout Envelope.Body, _ edit: (inout HistoryPage) -> Void) {
    guard case .historyPage(var page) = body else { return }
    edit(&page)
    body = .historyPage(page)
}

private func changeEntries(_ body: inout Envelope.Body, _ edit: (inout HistoryEntry) -> Void) {
    changePage(&body) { page in
        for index in page.entries.indices { edit(&page.entries[index]) }
    }
}

private func changeWelcome(_ body: inout Envelope.Body, _ edit: (inout Welcome) -> Void) {
    guard case .welcome(var welcome) = body else { return }
    edit(&welcome)
    body = .welcome(welcome)
}

private func changeError(_ body: inout Envelope.Body, _ edit: (inout ErrorMessage) -> Void) {
    guard case .error(var error) = body else { return }
    edit(&error)
    body = .error(error)
}
