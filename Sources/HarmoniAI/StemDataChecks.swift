extension StemFile {
    /// The document as a song, or its first fault.
    func checked() throws(HarmoniAIError) -> StemData {
        guard metadata.title.utf8.count <= HarmoniAILimits.maxTitleBytes else {
            throw .outOfRange(
                field: "metadata.title", value: "\(metadata.title.utf8.count) bytes",
                accepted: "0 to \(HarmoniAILimits.maxTitleBytes) bytes")
        }
        let fps = try Self.inside(metadata.fps, HarmoniAILimits.framesPerSecond, "metadata.fps")
        _ = try Self.inside(metadata.sample_rate, HarmoniAILimits.sampleRateHz, "metadata.sample_rate")
        let frames = try Self.whole(
            metadata.total_frames, 1...HarmoniAILimits.maxFrames, "metadata.total_frames")
        let duration = try checkedDuration(frames: frames, fps: fps)
        let tempo: Double? =
            if let value = metadata.tempo_bpm {
                try Self.inside(value, HarmoniAILimits.tempoBPM, "metadata.tempo_bpm")
            } else { nil }
        let drums = try stems.drums.checkedEnergy("stems.drums", frames: frames)
        let bass = try stems.bass.checkedEnergy("stems.bass", frames: frames)
        let vocals = try stems.vocals.checkedEnergy("stems.vocals", frames: frames)
        let other = try stems.other.checkedEnergy("stems.other", frames: frames)
        var marks = [FrameMarks](repeating: [], count: frames)
        try Self.mark(&marks, metadata.beat_frames, .beat, "metadata.beat_frames")
        try Self.mark(&marks, stems.drums.onsets, .drumOnset, "stems.drums.onsets")
        try Self.mark(
            &marks, stems.drums.strong_onsets, [.drumOnset, .strongDrumOnset], "stems.drums.strong_onsets")
        try Self.mark(&marks, stems.vocals.onsets, .vocalOnset, "stems.vocals.onsets")
        try Self.mark(
            &marks, stems.vocals.strong_onsets, [.vocalOnset, .strongVocalOnset], "stems.vocals.strong_onsets"
        )
        for (name, part) in [("bass", stems.bass), ("other", stems.other)] {
            var unused = marks
            try Self.mark(&unused, part.onsets, [], "stems.\(name).onsets")
            try Self.mark(&unused, part.strong_onsets, [], "stems.\(name).strong_onsets")
        }
        return StemData(
            title: metadata.title, durationSeconds: duration, fps: fps, totalFrames: frames, tempoBPM: tempo,
            drums: drums, bass: bass, vocals: vocals, other: other, marks: marks)
    }

    private func checkedDuration(frames: Int, fps: Double) throws(HarmoniAIError) -> Double {
        let field = "metadata.duration_seconds"
        let value = metadata.duration_seconds
        guard value.isFinite, value > 0 else {
            throw .outOfRange(field: field, value: "\(value)", accepted: "more than 0 seconds")
        }
        let grid = Double(frames) / fps
        let slack = HarmoniAILimits.durationSlackSeconds + HarmoniAILimits.durationSlackPart * grid
        guard abs(value - grid) <= slack else {
            throw .contradiction(
                field: field, value: "\(value)",
                expected: "total_frames / fps = \(grid) seconds, within \(slack)")
        }
        return value
    }

    static func inside(
        _ value: Double, _ range: ClosedRange<Double>, _ field: String
    ) throws(HarmoniAIError) -> Double {
        guard range.contains(value) else {
            throw .outOfRange(
                field: field, value: "\(value)", accepted: "\(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    static func whole(_ value: Double, _ range: ClosedRange<Int>, _ field: String) throws(HarmoniAIError)
        -> Int
    {
        guard let number = Int(exactly: value), range.contains(number) else {
            throw .outOfRange(
                field: field, value: "\(value)",
                accepted: "whole numbers from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Sets `mark` on each listed frame. Equal neighbours are accepted: onset back-tracking makes them.
    static func mark(
        _ marks: inout [FrameMarks], _ frames: [Double]?, _ mark: FrameMarks, _ field: String
    ) throws(HarmoniAIError) {
        var previous = 0
        for (index, value) in (frames ?? []).enumerated() {
            let frame = try whole(value, 0...(marks.count - 1), "\(field)[\(index)]")
            guard frame >= previous else {
                throw .notAscending(field: "\(field)[\(index)]", value: "\(frame)", previous: "\(previous)")
            }
            previous = frame
            marks[frame].formUnion(mark)
        }
    }
}

extension StemFile.StemPart {
    /// `frames` energies in 0…1.
    func checkedEnergy(_ field: String, frames: Int) throws(HarmoniAIError) -> [Float] {
        guard energy.count == frames else {
            throw .wrongCount(
                field: "\(field).energy", got: energy.count, expected: "metadata.total_frames = \(frames)")
        }
        let range = 0...HarmoniAILimits.maxEnergy
        _ = try StemFile.inside(peak_energy, range, "\(field).peak_energy")
        var largest = 1.0
        for (index, value) in energy.enumerated() {
            guard range.contains(value) else {
                throw .outOfRange(
                    field: "\(field).energy[\(index)]", value: "\(value)",
                    accepted: "\(range.lowerBound) to \(range.upperBound)")
            }
            largest = max(largest, value)
        }
        return energy.map { Float($0 / largest) }
    }
}
