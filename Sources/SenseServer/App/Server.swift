import HTTPCore
public import Net
import QuietAlert
import SenseProtocol
import SessionCore
import Storage
import Synchronization
public import TLS

/// A running server: loops, store, models, people. Start it, ask where it listens, stop it.
public final class Server: Sendable {
    /// Version of the product.
    public static let version = "0.1.0"
    /// The one person of a new installation; more come with the identity model of a later version.
    public static let firstProfileID = "home"
    /// How long a busy loop lets messages gather: a third of its work is waking up for single ones, and nothing a
    /// person sees, hears or feels depends on a millisecond.
    static let gather: Duration = .milliseconds(1)
    /// Turns that the loops ask of the scheduler: on a processor that others keep busy, the usual ones of some 3 ms are what
    /// a message waits for most.
    static let slice: Duration = .microseconds(500)

    /// Where `wss://` and `https://` are served.
    public let address: SocketAddress
    /// Where plain `ws://` is served, if anywhere.
    public let insecureAddress: SocketAddress?
    /// SHA-256 of the certificate.
    public let fingerprint: CertificateFingerprint?
    /// Pairs one device, once; nil if the store could not keep it.
    public let pairingCode: String?
    /// Rooms that were known at start, and that none of them is heard yet.
    public let roomsAtStart: [String]

    private let group: ServerGroup
    private let services: ServerServices
    private let store: Store
    private let profileLoop: EventLoop
    private let housekeeping: Housekeeping
    private let tls: TLSContext
    private let configuration: Configuration
    private let isStopped = Mutex(false)

    /// Starts everything; returns when connections are accepted.
    /// - Throws: `ServerError`, with what to do.
    public init(_ configuration: Configuration, log: Log? = nil) throws(ServerError) {
        let log = log ?? Log(level: configuration.logLevel)
        let started = Syscalls.monotonicNow()
        self.configuration = configuration
        try FileSystem.makeFolder(configuration.dataPath)
        let models = try ModelBay(folder: configuration.modelsPath)
        tls = try Certificate.context(configuration)
        fingerprint = tls.fingerprint
        store = try Self.openStore(configuration)
        do throws(ServerError) {
            profileLoop = try Self.startLoop("profiles")
            var limits = SessionLimits()
            limits.maxSessionsPerProfile = configuration.maxSessionsPerProfile
            let people = try People.load(store: store, loop: profileLoop, limits: limits, log: log)
            roomsAtStart = people.rooms
            housekeeping = Housekeeping(loop: profileLoop, store: store, log: log)
            let words = WordLists(configuration, log: log)
            services = try Self.makeServices(limits, models, words, store, people.hubs, log)
            pairingCode = Self.makePairingCode(store, log)
            group = try Self.listen(configuration, services, tls, started)
        } catch {
            store.close()
            throw error
        }
        housekeeping.start()
        address = group.addresses[0]
        insecureAddress = group.addresses.count > 1 ? group.addresses[1] : nil
        for room in roomsAtStart {
            log(
                .warning,
                "room \(room.isEmpty ? "(unnamed)" : room): UNPROTECTED until its microphone connects")
        }
    }

    /// Reads the certificate again, without dropping connections.
    public func reloadCertificate() throws(ServerError) {
        let identity = try Certificate.identity(configuration)
        do throws(TLSError) {
            try tls.reload(identity)
        } catch {
            throw ServerError(
                what: "certificate", reason: "\(error)",
                advice: "The old certificate stays in use. Check the files.")
        }
    }

    /// Stops gracefully: says why to every device, at most five seconds, then ends. Blocks; never call it on a loop.
    public func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        guard isFirst else { return }
        group.drain()
        group.join()
        services.letters?.stop()
        services.sounds?.stop()
        services.songs.stop()
        services.calibrations.stop()
        services.customSounds?.stop()
        profileLoop.stop()
        profileLoop.join()
        store.close()
    }

    /// The metrics page, for tests and benchmarks in the same process.
    public var metricsText: String { services.metricsText() }

    // MARK: Steps of the start

    private static func startLoop(_ name: String) throws(ServerError) -> EventLoop {
        do throws(SystemError) {
            let loop = try EventLoop(name: name, slice: slice)
            try loop.start()
            return loop
        } catch {
            throw ServerError(
                what: "thread \(name)", reason: "\(error)", advice: "Check the limits of the system.")
        }
    }

    private static func openStore(_ configuration: Configuration) throws(ServerError) -> Store {
        do throws(StorageError) {
            var limits = StorageLimits()
            limits.maxDevicesPerProfile = max(
                limits.maxDevicesPerProfile, configuration.maxSessionsPerProfile)
            return try Store(
                path: configuration.dataPath + "/sense.db", limits: limits,
                nowUs: Int64(clamping: ServerClock.now().unixUs))
        } catch {
            throw ServerError(
                what: "store", reason: "\(error)", advice: "The server does not start without its store.")
        }
    }

    private static func makeServices(
        _ limits: SessionLimits, _ models: ModelBay, _ words: WordLists, _ store: Store,
        _ hubs: [String: ProfileHub], _ log: Log
    ) throws(ServerError) -> ServerServices {
        do throws(SystemError) {
            let letters = try models.letters.map { model throws(SystemError) in
                try ScoringPool(name: "letters", workers: 1, maxQueuedRows: 16_384, maxBatchRows: 64) {
                    LetterScorer(model)
                }
            }
            let quickLetters = models.letters.flatMap { model -> LoadedModel? in
                let time = LetterScorer(model).measuredTime(rows: LetterBatcher.fullBatch)
                let isQuick = time <= LetterBatcher.longestOnLoop
                log(
                    .info,
                    "letters: \(LetterBatcher.fullBatch) poses take \(time); scored on \(isQuick ? "the loops" : "a thread")"
                )
                return isQuick ? model : nil
            }
            if case .windows(_, let reason)? = models.soundNetwork {
                log(
                    .warning,
                    "the sound network has no streaming form and costs several times as much: \(reason)")
            }
            // A stream has at most one step in work, and its state is its own wherever it lies: 28 KB each.
            let sounds = try models.soundNetwork.map { network throws(SystemError) in
                try ScoringPool(
                    name: "sounds", workers: 2, maxQueuedRows: 4096, maxBatchRows: SoundScorer.maxBatch
                ) { [space = models.soundSpace] in SoundScorer(network, space: space) }
            }
            let songs = try ScoringPool(name: "songs", workers: 1, maxQueuedRows: 4, maxBatchRows: 1) {
                SongDecoder()
            }
            let calibrations = try ScoringPool(
                name: "calibrations", workers: 1, maxQueuedRows: 8, maxBatchRows: 1
            ) { CalibrationScorer() }
            let customSounds = try models.soundSpace.map { space throws(SystemError) in
                try ScoringPool(name: "own-sounds", workers: 1, maxQueuedRows: 8, maxBatchRows: 1) {
                    CustomSoundScorer(space)
                }
            }
            return ServerServices(
                context: SessionContext(
                    limits: limits, serverVersion: version, models: models.infos,
                    unavailable: models.unavailable + words.unavailable,
                    sound: models.soundSettings, vocabulary: words.vocabulary, channel: words.channel),
                store: store, hubs: hubs, letters: letters, quickLetters: quickLetters, sounds: sounds,
                songs: songs, calibrations: calibrations, customSounds: customSounds, pairing: PairingDesk(),
                metrics: Metrics(), log: log)
        } catch {
            throw ServerError(what: "threads", reason: "\(error)", advice: "Check the limits of the system.")
        }
    }

    private static func makePairingCode(_ store: Store, _ log: Log) -> String? {
        let code = PairingDesk.makeCode()
        let nowUs = Int64(clamping: ServerClock.now().unixUs)
        let day: Int64 = 86_400_000_000
        do throws(StorageError) {
            try store.wait { done in
                store.createPairingCode(
                    NewPairingCode(
                        codeHash: PairingDesk.hash(ofCode: code), profileID: firstProfileID,
                        role: Role.subject.rawValue, createdUs: nowUs, expiresUs: nowUs + day, purpose: .start
                    ),
                    completion: done)
            }
            return code
        } catch {
            log(.error, "no pairing code: \(error)")
            return nil
        }
    }

    private static func listen(
        _ configuration: Configuration, _ services: ServerServices, _ tls: TLSContext,
        _ started: MonotonicInstant
    ) throws(ServerError) -> ServerGroup {
        var endpoints: [ServerEndpoint] = []
        let wanted =
            [(configuration.listen, true)] + (configuration.insecureListen.map { [($0, false)] } ?? [])
        for (endpoint, isSecure) in wanted {
            guard let address = SocketAddress(endpoint.host, port: endpoint.port) else {
                throw ServerError(
                    what: "--listen", reason: "\(endpoint.host) is not an IP address",
                    advice: "Give an address of this machine, 0.0.0.0 for all, or localhost.")
            }
            endpoints.append(
                ServerEndpoint(
                    address: address, tls: isSecure ? tls : nil,
                    allowsPlainBeyondLoopback: configuration.allowsInsecureRemote))
        }
        let application = SenseApplication(
            services: services, origins: OriginPolicy(configuration.allowedOrigins), started: started)
        let loops = configuration.loopCount == 0 ? Processors.count : configuration.loopCount
        do throws(ServerGroupError) {
            return try ServerGroup(
                application: application, endpoints: endpoints, loops: loops, gather: gather, slice: slice)
        } catch {
            throw ServerError(
                what: "listening", reason: "\(error)",
                advice: "Is another server running? Choose another port with --listen HOST:PORT.")
        }
    }
}
