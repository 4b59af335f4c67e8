import HarmoniAI

/// Stem data JSON from a client. Only the module's own errors may come out; a song that is accepted keeps its
/// promises and can be played. The bytes are the only memory read, and only within `count`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStemJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let song = try? StemDataDecoder().decode(bytes) else { return 0 }
    precondition(song.marks.count == song.totalFrames)
    for stem in Stem.allCases {
        let energy = song.energy(stem)
        precondition(energy.count == song.totalFrames && energy.allSatisfy { (0...1).contains($0) })
    }
    var scheduler = MusicScheduler(song: song)
    guard (try? scheduler.play(nowUs: 0)) != nil else { preconditionFailure("an accepted song plays") }
    var nowUs: Int64 = 0
    for _ in 0..<64 {
        guard let wake = scheduler.nextWakeUs else { break }
        nowUs = max(nowUs, wake)
        for batch in scheduler.advance(nowUs: nowUs) {
            precondition(batch.frames.allSatisfy { $0.playAtUs - nowUs >= 300_000 })
        }
    }
    return 0
}
