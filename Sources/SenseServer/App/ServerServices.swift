import BridgeAI
import HarmoniAI
import Net
import QuietAlert
import SenseProtocol
import SessionCore
import Storage
import Synchronization
import TLS

/// What all sessions of a server share. Immutable after start, except where a member has its own lock or loop.
final class ServerServices: Sendable {
    let context: SessionContext
    let store: any RecordStore
    let hubs: [String: ProfileHub]
    let letters: ScoringPool<HandVector, LetterScores>?
    /// The letter network, if it is quick enough to run on the loops themselves.
    let quickLetters: LoadedModel?
    let sounds: ScoringPool<SoundStep, SoundNetworkScores>?
    let songs: ScoringPool<[UInt8], SongDecoding>
    let calibrations: ScoringPool<CalibrationSamples, AdaptationTrainer.Outcome>
    let customSounds: ScoringPool<TaughtSound, Result<Float, CustomSoundProblem>>?
    let pairing: PairingDesk
    let metrics: Metrics
    let log: Log
    private let sessionCounter = Atomic<UInt64>(0)

    init(
        context: SessionContext, store: any RecordStore, hubs: [String: ProfileHub],
        letters: ScoringPool<HandVector, LetterScores>?, quickLetters: LoadedModel?,
        sounds: ScoringPool<SoundStep, SoundNetworkScores>?,
        songs: ScoringPool<[UInt8], SongDecoding>,
        calibrations: ScoringPool<CalibrationSamples, AdaptationTrainer.Outcome>,
        customSounds: ScoringPool<TaughtSound, Result<Float, CustomSoundProblem>>?, pairing: PairingDesk,
        metrics: Metrics, log: Log
    ) {
        self.context = context
        self.store = store
        self.hubs = hubs
        self.letters = letters
        self.quickLetters = quickLetters
        self.sounds = sounds
        self.songs = songs
        self.calibrations = calibrations
        self.customSounds = customSounds
        self.pairing = pairing
        self.metrics = metrics
        self.log = log
    }

    func nextSessionID() -> SessionID {
        SessionID(sessionCounter.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    func randomBytes(_ count: Int) -> [UInt8] { SecureRandom.bytes(count) }

    // MARK: Scores. On the session's loop.

    func scoreSound(_ job: SoundJob, for session: SessionHandle) {
        guard let sounds else {
            session.onLoop { $0.soundScored(job, nil) }
            return
        }
        // Samples and state travel with the work only; what comes back names the step.
        var receipt = job
        receipt.samples = []
        receipt.state = []
        let label = receipt
        let metrics = metrics
        sounds.submit([SoundStep(samples: job.samples, state: job.state)]) { scores in
            session.onLoop { session in
                session.soundScored(label, scores.first ?? nil)
                metrics.soundScored(
                    latencyUs: ServerClock.now().serverUs &- label.completeServerUs)
            }
        }
    }

    func decodeSong(_ job: SongJob, for session: SessionHandle) {
        songs.submit([job.bytes]) { results in
            let result =
                (results.first ?? nil)?.result
                ?? .failure(.notJSON(reason: "the server is busy; send it again"))
            session.onLoop { $0.songDecoded(job, result) }
        }
    }

    func learn(_ job: CalibrationJob, for session: SessionHandle) {
        // The samples travel with the work only.
        var receipt = job
        receipt.samples = CalibrationSamples()
        let label = receipt
        calibrations.submit([job.samples]) { outcomes in
            session.onLoop { $0.calibrationLearned(label, outcomes.first ?? nil) }
        }
    }

    func learn(_ job: CustomSoundJob, for session: SessionHandle) {
        guard let customSounds else {
            session.onLoop { $0.customSoundLearned(job, nil) }
            return
        }
        customSounds.submit([job.sound]) { outcomes in
            session.onLoop { $0.customSoundLearned(job, outcomes.first ?? nil) }
        }
    }
}
