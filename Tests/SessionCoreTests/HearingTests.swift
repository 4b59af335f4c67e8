import Numerics
import SenseProtocol
import SessionCore
import Testing

/// From samples to the alert that tells a person what cannot be heard, and to the one that says that it can again.
@Suite("Hearing, from samples to alerts")
struct HearingTests {
    /// One fault of a microphone, and how it is put right.
    struct Fault: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var format = HearingScript.raw()
        /// How it is told, and within how many seconds of its beginning (issue: 15 s, wrong rate 3 s).
        var label = "cannot_hear"
        var withinSeconds = 15.0
        /// Words that the alert must have.
        var words: String
        /// Seconds for which it lasts.
        var lasts = 15.0
        var happens: @Sendable (inout HearingScript, Double) -> Void
        var mends: @Sendable (inout HearingScript) -> Void = { $0.play(5, HearingScript.home) }
    }

    static let faults = [
        Fault(testDescription: "muted: zeros", words: "only silence") { script, seconds in
            script.play(seconds) { _, _ in 0 }
        },
        Fault(testDescription: "muted: a constant", words: "only silence") { script, seconds in
            script.play(seconds) { _, _ in 0.01 }
        },
        Fault(testDescription: "muted: zeros in chunks of 2 s", words: "only silence") { script, seconds in
            script.play(seconds, chunkMs: 2000) { _, _ in 0 }
        },
        Fault(testDescription: "nothing is sent", words: "No sound arrives") { script, seconds in
            script.wait(seconds)
        },
        rate(declared: 44_100, real: 48_000, chunkMs: 20), rate(declared: 44_100, real: 48_000, chunkMs: 100),
        rate(declared: 44_100, real: 48_000, chunkMs: 320),
        rate(declared: 48_000, real: 44_100, chunkMs: 100),
        rate(declared: 16_000, real: 48_000, chunkMs: 500),
        Fault(testDescription: "the network is stuck", words: "does not keep up") { script, seconds in
            script.play(seconds, network: .isStuck, HearingScript.home)
        } mends: { script in
            // It counts as behind for 5 s after the last loss.
            script.play(9, HearingScript.home)
        },
        Fault(
            testDescription: "overdriven", label: "hearing_reduced", withinSeconds: 10, words: "overdriven"
        ) { script, seconds in
            script.play(seconds) { t, _ in 4 * Elementary.sin(t * 2 * .pi * 440) }
        },
        tooQuiet("almost nothing, in 16 bits", .pcmS16le, -103.5),
        tooQuiet("almost nothing", .pcmF32le, -110),
        Fault(
            testDescription: "filtered for speech",
            format: AudioFormat(
                encoding: .pcmS16le, sampleRateHz: 22_050, channels: 1, captureMode: .voiceProcessed),
            label: "hearing_reduced", withinSeconds: 1, words: "filters the sound for speech"
        ) { script, seconds in
            script.play(seconds, HearingScript.home)
        } mends: { script in
            script.change(to: HearingScript.raw())
            script.play(8, HearingScript.home)
        },
    ]

    /// What is not said is read so that nothing is hidden.
    static let undeclared = Fault(
        testDescription: "filtered or not, it does not say",
        format: AudioFormat(encoding: .pcmS16le, sampleRateHz: 22_050, channels: 1),
        label: "hearing_reduced", withinSeconds: 1, words: "does not say whether"
    ) { script, seconds in
        script.play(seconds, HearingScript.home)
    } mends: { script in
        script.change(to: HearingScript.raw())
        script.play(5, HearingScript.home)
    }

    static func rate(declared: UInt32, real: UInt32, chunkMs: UInt64) -> Fault {
        Fault(
            testDescription: "declared \(declared) Hz, real \(real) Hz, chunks of \(chunkMs) ms",
            format: HearingScript.raw(declared), withinSeconds: 3, words: "but sends about", lasts: 4
        ) { script, seconds in
            script.play(seconds, chunkMs: chunkMs, trueRateHz: real, HearingScript.home)
        } mends: { script in
            script.change(to: HearingScript.raw(real))
            script.play(5, chunkMs: chunkMs, HearingScript.home)
        }
    }

    static func tooQuiet(_ name: String, _ encoding: AudioEncoding, _ levelDBFS: Double) -> Fault {
        Fault(
            testDescription: name, format: HearingScript.raw(22_050, encoding), label: "hearing_reduced",
            words: "almost nothing"
        ) { script, seconds in
            script.play(seconds, HearingScript.noise(levelDBFS))
        }
    }

    @Test(
        "each fault is told in time, once, with its name, and so is its end", arguments: faults + [undeclared]
    )
    func told(_ fault: Fault) throws {
        var script = HearingScript(fault.format)
        let isDeclared = fault.withinSeconds <= 3
        // What is declared wrongly is wrong from the first sample on.
        if !isDeclared { script.play(1, HearingScript.home) }
        #expect(script.alerts.isEmpty)
        let beganUs = script.person.now.unixUs
        fault.happens(&script, fault.lasts)
        let told = try #require(script.alerts.first)
        let after = Double(told.startedUnixUs - beganUs) / 1e6
        #expect(after <= fault.withinSeconds, "told after \(after) s")
        #expect(told.kind == .cannotHear && told.label == fault.label)
        #expect(told.urgency == (fault.label == "cannot_hear" ? .urgent : .normal))
        #expect(told.message.contains(fault.words), "\(told.message)")
        #expect(Set(script.alerts.map(\.alertId)) == [told.alertId])
        let protection = script.person.state.protections.first?.state
        #expect(protection == (fault.label == "cannot_hear" ? .unprotected : .reduced))
        #expect(script.person.takeAlerts(2).contains { $0.alertId == told.alertId })

        fault.mends(&script)
        let last = try #require(script.alerts.last)
        #expect(last.alertId == told.alertId && last.state == .ended && last.disposition == .resolved)
        #expect(Set(script.alerts.map(\.alertId)) == [told.alertId])
        #expect(script.person.state.protections.first?.state == .protected)
        #expect(script.person.takeAlerts(2).last?.state == .ended)
    }

    /// A room without anybody, as microphones hear it.
    struct QuietRoom: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var levelDBFS: Double
        var encoding = AudioEncoding.pcmS16le
        var offset = 0.0
    }

    /// Levels: noise that a microphone has of itself, and Android's sensitivities (CDD 5.4, 5.11).
    static let quietRooms = [
        QuietRoom(testDescription: "a phone at night", levelDBFS: -75),
        QuietRoom(testDescription: "with an offset", levelDBFS: -75, offset: 0.02),
        QuietRoom(testDescription: "an INMP441 by its data sheet", levelDBFS: -87),
        QuietRoom(testDescription: "Android unprocessed, 60 dB SNR, in 16 bits", levelDBFS: -96),
        QuietRoom(testDescription: "Android unprocessed, 65 dB SNR, in 16 bits", levelDBFS: -101),
        QuietRoom(
            testDescription: "Android unprocessed, 65 dB SNR", levelDBFS: -101, encoding: .pcmF32le),
    ]

    @Test("a really quiet room is no fault", arguments: quietRooms)
    func quiet(_ room: QuietRoom) {
        var script = HearingScript(HearingScript.raw(22_050, room.encoding))
        let noise = HearingScript.noise(room.levelDBFS)
        script.play(15) { t, random in room.offset + noise(t, &random) }
        #expect(script.alerts.isEmpty, "\(script.alerts.map(\.message))")
        #expect(script.person.state.protections.first?.state == .protected)
    }

    @Test("zeros are no all-clear: a room is not heard before something is")
    func zerosFirst() {
        var script = HearingScript()
        script.play(5) { _, _ in 0 }
        #expect(script.person.state.protections.first?.state == .unprotected)
        script.play(8) { _, _ in 0 }
        #expect(script.alerts.map(\.label) == ["cannot_hear"])
        script.play(5, HearingScript.home)
        #expect(script.alerts.map(\.state) == [.confirmed, .ended])
    }

    @Test("what else holds is told too, each once, and ends by itself")
    func several() throws {
        // Overdriven, and at a rate that is not the declared one.
        var script = HearingScript(HearingScript.raw(44_100))
        let overdriven: HearingScript.Wave = { t, _ in 4 * Elementary.sin(t * 2 * .pi * 440) }
        script.play(8, trueRateHz: 48_000, overdriven)
        #expect(script.alerts.map(\.label) == ["cannot_hear", "hearing_reduced"])
        let reports = script.reports
        #expect(reports.last?.state == .rateMismatch && reports.last?.otherStates == [.clipped])
        script.change(to: HearingScript.raw(48_000))
        script.play(8, overdriven)
        let deaf = script.alerts.filter { $0.label == "cannot_hear" }
        #expect(deaf.map(\.state) == [.confirmed, .ended])
        #expect(script.person.state.protections.first?.state == .reduced)
        script.play(8, HearingScript.home)
        #expect(script.alerts.last?.label == "hearing_reduced" && script.alerts.last?.state == .ended)
        #expect(script.person.state.protections.first?.state == .protected)
    }

    @Test("two faults that both make deaf are one alert that names both")
    func bothDeaf() throws {
        var script = HearingScript(HearingScript.raw(44_100))
        script.play(4, trueRateHz: 48_000, HearingScript.home)
        #expect(script.alerts.count == 1)
        script.play(14, trueRateHz: 48_000) { _, _ in 0 }
        let told = try #require(script.alerts.last)
        #expect(Set(script.alerts.map(\.alertId)).count == 1 && told.state == .updated)
        #expect(told.message.contains("only silence") && told.message.contains("but sends about"))
    }

    @Test("deaf while reduced is news, and needs an answer of its own")
    func worse() throws {
        var script = HearingScript(
            AudioFormat(encoding: .pcmS16le, sampleRateHz: 22_050, channels: 1, captureMode: .voiceProcessed))
        script.play(3, HearingScript.home)
        let reduced = try #require(script.alerts.first)
        script.person.receive(
            .receipt(AlertReceipt(alertId: reduced.alertId, kind: .ackedByHuman), seq: 1), from: 2)
        script.play(42) { _, _ in 0 }
        let deaf = script.alerts.filter { $0.label == "cannot_hear" }
        #expect(deaf.first?.urgency == .urgent)
        #expect(deaf.count == 2, "an urgent alert reminds after 30 s")
        #expect(script.alerts.filter { $0.label == "hearing_reduced" }.count == 1, "a normal one does not")
        script.play(5, HearingScript.home)
        #expect(script.alerts.last?.alertId == deaf.first?.alertId && script.alerts.last?.state == .ended)
        #expect(script.person.state.protections.first?.state == .reduced)
    }

    @Test("what comes and goes is told a few times, then stays told until it has been good for a while")
    func flapping() {
        var script = HearingScript()
        script.play(1, HearingScript.home)
        for _ in 0..<5 {
            script.wait(7)
            script.play(5, HearingScript.home)
        }
        // The ends come later each time; the third is held back for a minute.
        let begun = script.alerts.filter { $0.state == .confirmed }.count
        let ended = script.alerts.filter { $0.state == .ended }.count
        #expect((2...3).contains(begun) && ended == begun - 1, "\(begun) begun, \(ended) ended")
    }
}
