import Blindspot
import SenseProtocol

extension Session {
    /// A scene: hazards are told at once, without waiting for the store or a question (PRODUCT 3.5: ≤ 200 ms).
    mutating func receive(
        _ frame: SceneFrame, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let id = frame.streamId
        guard spend(frame.objects.count * 64, "scene_frame.objects", seq, now, &actions),
            isOpen(id, .scene, "scene_frame", seq, now, &actions)
        else { return }
        guard frame.objects.count <= limits.maxSceneObjects else {
            report(
                FieldProblem(
                    field: "scene_frame.objects", expected: "at most \(limits.maxSceneObjects)",
                    got: "\(frame.objects.count)"), stream: id, seq: seq, now, &actions)
            return
        }
        let reports = scenes[id]?.take(frame, at: now) ?? []
        warnOfFlags(frame, now, &actions)
        guard !reports.isEmpty else { return }
        let hazards = reports.map(\.wire)
        send(
            .sceneAnswer(
                SceneAnswer(
                    streamId: id, answer: reports.map { $0.text + "." }.joined(separator: " "),
                    hazards: hazards,
                    citedLabels: reports.map(\.object.label), frameIndex: frame.frameIndex)), .durable, now,
            &actions)
        streams[id]?.finals += 1
        for hazard in hazards where hazard.haptic?.patternId == "danger_ahead" {
            actions.append(
                .profile(
                    .hazard(
                        streamID: id, label: hazard.label, message: hazard.text,
                        hazard.haptic ?? HapticPattern())))
        }
    }

    private mutating func warnOfFlags(_ frame: SceneFrame, _ now: Now, _ actions: inout [SessionAction]) {
        guard let objects = scenes[frame.streamId]?.latest?.scene.objects,
            let bad = objects.first(where: { !$0.flags.isEmpty }), let flag = bad.flags.first
        else { return }
        let warning = scenes[frame.streamId]?.warnings.warn(
            .badFrame, streamID: frame.streamId, field: "scene_frame.objects",
            message: "object \"\(bad.label)\": \(flag.rawValue); the value counts as not known",
            fix: "send distances of 0…200 m, confidence 0…1, position left, center or right", at: now)
        if let warning { send(.streamWarning(warning), .lossy, now, &actions) }
    }

    mutating func receive(
        _ question: Question, _ seq: UInt64, _ now: Now, _ actions: inout [SessionAction]
    ) {
        let id = question.streamId
        guard isOpen(id, .scene, "question", seq, now, &actions) else { return }
        guard question.text.utf8.count <= 1024 else {
            report(
                FieldProblem(
                    field: "question.text", expected: "at most 1024 bytes",
                    got: "\(question.text.utf8.count)"), stream: id, seq: seq, now, &actions)
            return
        }
        guard let summary = scenes[id]?.answer(question.text, at: now), let unit = scenes[id]?.unit else {
            return
        }
        streams[id]?.finals += 1
        let hazards = summary.hazards.map {
            SceneObjectReport(object: $0, text: HazardPhrase.text(for: $0, unit: unit)).wire
        }
        send(
            .sceneAnswer(
                SceneAnswer(
                    streamId: id, question: question.text, answer: summary.text,
                    degraded: !summary.degradations.isEmpty,
                    degradedReason: summary.degradations.map(\.text).joined(separator: " "), hazards: hazards,
                    citedLabels: summary.citedLabels, frameIndex: scenes[id]?.latest?.frameIndex ?? 0)),
            .durable,
            now, &actions)
    }
}
