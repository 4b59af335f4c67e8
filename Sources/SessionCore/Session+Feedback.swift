import SenseProtocol

extension Session {
    /// A person's word on an alert.
    mutating func handle(
        _ feedback: AlertFeedback, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        var problem = roleProblem("alert_feedback")
        if !feedback.trueLabel.isEmpty, feedback.correct {
            problem = FieldProblem(
                field: "alert_feedback.true_label", expected: "nothing where the alert was correct",
                got: feedback.trueLabel)
        }
        if let unfit = FieldProblem.name(
            feedback.trueLabel, field: "alert_feedback.true_label", maxBytes: limits.maxNameBytes)
        {
            problem = unfit
        }
        if feedback.alertId.isEmpty || feedback.alertId.utf8.count > limits.maxNameBytes {
            problem = FieldProblem(
                field: "alert_feedback.alert_id", expected: "1…\(limits.maxNameBytes) bytes",
                got: "\(feedback.alertId.utf8.count) bytes")
        }
        if let problem {
            report(problem, seq: seq, now, &actions)
        } else {
            actions.append(.profile(.feedback(feedback, seq: seq)))
        }
    }

    /// What is wrong with the device's role for a word that counts as a person's; a role that is missing or not known
    /// has no rights.
    func roleProblem(_ message: String) -> FieldProblem? {
        switch identity?.role {
        case .subject, .caregiver, .admin: nil
        case nil, .unspecified, .unrecognized:
            FieldProblem(
                .forbidden, field: message, expected: "the person, a caregiver or an administrator",
                got: "a device of role \(identity?.role.rawValue ?? 0)")
        }
    }
}
