import Glibc
import Net
import TLS

/// The `sense-server` command: arguments in, exit code out.
public enum ServerCommand {
    /// Runs a server until it is told to stop.
    /// - Returns: 0 after a graceful stop, 2 for bad arguments, 1 if it could not start.
    public static func run(_ arguments: [String]) -> Int32 {
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration(arguments: Array(arguments.dropFirst()))
        } catch {
            complain("sense-server: \(error)\n\nSee sense-server --help.")
            return 2
        }
        if configuration.wantsHelp {
            print(Configuration.help)
            return 0
        }
        // Before any thread exists, so that every thread inherits the mask.
        ProcessSignal.blockAll()
        let server: Server
        do throws(ServerError) {
            server = try Server(configuration)
        } catch {
            complain("sense-server cannot start: \(error)")
            return 1
        }
        announce(server, configuration)
        do throws(SystemError) {
            try waitForStop(of: server)
        } catch {
            complain("sense-server cannot receive signals: \(error)")
            server.stop()
            return 1
        }
        server.stop()
        return 0
    }

    /// Waits on a loop of its own until SIGTERM or SIGINT; SIGHUP reads the certificate again.
    private static func waitForStop(of server: Server) throws(SystemError) {
        let loop = try EventLoop(name: "signals")
        try loop.start()
        loop.post {
            _ = try? SignalSource(loop: loop) { signal in
                switch signal {
                case .reload: reload(server)
                case .terminate, .interrupt:
                    complain("stopping: telling every device")
                    loop.stop()
                }
            }
        }
        loop.join()
    }

    private static func reload(_ server: Server) {
        do throws(ServerError) {
            try server.reloadCertificate()
            complain("certificate read again")
        } catch {
            complain("\(error)")
        }
    }

    /// Tells where to look and how to pair.
    private static func announce(_ server: Server, _ configuration: Configuration) {
        let host = configuration.listen.host == "0.0.0.0" ? "localhost" : configuration.listen.host
        print(
            """
            Sense \(Server.version) listens on https://\(host):\(server.address.port)   (wss://\(host):\(server.address.port)/v1)
              certificate SHA-256  \(server.fingerprint?.description ?? "none")
              pairing code         \(server.pairingCode ?? "none: see the log")   (one device, within a day)
              try it               sense-client pair --server \(host):\(server.address.port) --code \(server.pairingCode ?? "CODE")
              store                \(configuration.dataPath)/sense.db
            """)
        if let insecure = server.insecureAddress { print("  WITHOUT encryption   ws://\(insecure)/v1") }
        print("This is not a listed life-safety device. Never remove a smoke or CO alarm because of it.")
        fflush(nil)
    }

    private static func complain(_ text: String) { StandardError.write(text) }
}
