import SenseProtocol

extension Session {
    /// A wish to start or cancel the drill of a room.
    mutating func handle(
        _ drill: Drill, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        var problem = roleProblem("drill")
        switch drill.phase {
        case .started, .cancelled: break
        case .passed, .failed, .unspecified, .unrecognized:
            problem = FieldProblem(
                field: "drill.phase", expected: "STARTED or CANCELLED", got: "\(drill.phase.rawValue)")
        }
        if let unfit = FieldProblem.name(drill.room, field: "drill.room", maxBytes: limits.maxNameBytes) {
            problem = unfit
        } else if drill.room.isEmpty {
            problem = FieldProblem(field: "drill.room", expected: "the name of a room", got: "none")
        }
        if let problem {
            report(problem, seq: seq, now, &actions)
        } else {
            actions.append(.profile(.drill(drill, seq: seq)))
        }
    }
}
