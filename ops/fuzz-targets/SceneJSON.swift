import Blindspot

/// Scene JSON and a question from a client: the bytes up to the first line feed are the question, the rest is the
/// scene. Only the module's own errors may come out; an answer is bounded and promises nothing. The bytes are the
/// only memory read, and only within `count`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSceneJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let cut = bytes.firstIndex(of: 10)
    let question = String(decoding: bytes[..<(cut ?? 0)], as: UTF8.self)
    guard let scene = try? SceneDecoder().decode(Array(bytes[(cut.map { $0 + 1 } ?? 0)...])) else { return 0 }
    precondition(scene.objects.count <= BlindspotLimits.maxObjects)
    for object in scene.objects {
        precondition(object.distanceM.map { (0...BlindspotLimits.maxDistanceM).contains($0) } ?? true)
        let words = HazardPhrase.text(for: object).split(separator: " ")
        precondition(words.count <= BlindspotLimits.maxPhraseWords)
    }
    let answer = SceneAnswerer(unit: .metres).answer(question, about: scene)
    precondition(answer.text.utf8.count < 2_048)
    let words = answer.text.lowercased().split { !$0.isLetter }
    precondition(!words.contains("clear") && !words.contains("safe") && !words.contains("safely"))
    var announcer = HazardAnnouncer()
    precondition(announcer.announce(scene, nowUs: 0).count <= BlindspotLimits.maxHazards)
    return 0
}
