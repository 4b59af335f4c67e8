/// How a server is to run; read from the command line once.
public struct Configuration: Sendable, Equatable {
    /// An address to listen on.
    public struct Endpoint: Sendable, Equatable {
        /// IPv4 or IPv6 address, or `localhost`.
        public var host: String
        /// 0 = any free port.
        public var port: UInt16

        /// An address to listen on.
        public init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }

        /// Reads `HOST:PORT`, `[IPv6]:PORT` or `PORT`.
        init?(_ text: String) {
            guard let colon = text.lastIndex(of: ":") else {
                guard let port = UInt16(text) else { return nil }
                self.init(host: "127.0.0.1", port: port)
                return
            }
            guard let port = UInt16(text[text.index(after: colon)...]) else { return nil }
            var host = text[..<colon]
            if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
            guard !host.isEmpty else { return nil }
            self.init(host: host == "localhost" ? "127.0.0.1" : String(host), port: port)
        }
    }

    /// Where `wss://` and `https://` are served.
    public var listen = Endpoint(host: "0.0.0.0", port: 8443)
    /// Where plain `ws://` is served besides; nil = nowhere. Loopback unless `allowsInsecureRemote`.
    public var insecureListen: Endpoint?
    /// Plain `ws://` was asked for on an address that others can reach.
    public var allowsInsecureRemote = false
    /// Folder of the store, certificate and key; made if missing.
    public var dataPath = "var"
    /// Folder of the models and their manifest.
    public var modelsPath = "Models"
    /// Word list of the language, one word a line.
    public var wordsPath = "/usr/share/dict/words"
    /// Certificate chain and key in PEM; nil = a certificate of our own in the data folder.
    public var certificatePath: String?
    /// See `certificatePath`.
    public var keyPath: String?
    /// Network loops; 0 = one a core.
    public var loopCount = 0
    /// Sessions of one person; see `SessionLimits.maxSessionsPerProfile`.
    public var maxSessionsPerProfile = 32
    /// Browser origins that may connect, besides the server's own.
    public var allowedOrigins: [String] = []
    /// What is logged.
    public var logLevel = Log.Level.info
    /// Help was asked for.
    public var wantsHelp = false

    /// The defaults.
    public init() {}

    /// Reads command-line arguments.
    /// - Throws: `ConfigurationError`, which names the argument and what it takes.
    public init(arguments: [String]) throws(ConfigurationError) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            func value(_ expected: String) throws(ConfigurationError) -> String {
                guard let value = rest.popFirst() else {
                    throw ConfigurationError(argument: name, expected: expected, got: "nothing")
                }
                return value
            }
            func endpoint() throws(ConfigurationError) -> Endpoint {
                let text = try value("HOST:PORT")
                guard let endpoint = Endpoint(text) else {
                    throw ConfigurationError(
                        argument: name, expected: "HOST:PORT with a port of 0…65535", got: text)
                }
                return endpoint
            }
            switch name {
            case "--listen": listen = try endpoint()
            case "--insecure-listen":
                insecureListen = try endpoint()
                allowsInsecureRemote = true
            case "--data": dataPath = try value("a folder")
            case "--models": modelsPath = try value("a folder")
            case "--words": wordsPath = try value("a file with one word a line")
            case "--cert": certificatePath = try value("a PEM file")
            case "--key": keyPath = try value("a PEM file")
            case "--allow-origin": allowedOrigins.append(try value("an origin such as https://home.example"))
            case "--loops":
                let text = try value("1…64")
                guard let count = Int(text), (1...64).contains(count) else {
                    throw ConfigurationError(argument: name, expected: "1…64", got: text)
                }
                loopCount = count
            case "--max-sessions":
                let text = try value("1…20000")
                guard let count = Int(text), (1...20_000).contains(count) else {
                    throw ConfigurationError(argument: name, expected: "1…20000", got: text)
                }
                maxSessionsPerProfile = count
            case "--log":
                let text = try value("debug, info, warning or error")
                switch text {
                case "debug": logLevel = .debug
                case "info": logLevel = .info
                case "warning": logLevel = .warning
                case "error": logLevel = .error
                default:
                    throw ConfigurationError(
                        argument: name, expected: "debug, info, warning or error", got: text)
                }
            case "--help", "-h": wantsHelp = true
            default:
                throw ConfigurationError(argument: name, expected: "an option (see --help)", got: name)
            }
        }
        if (certificatePath == nil) != (keyPath == nil) {
            throw ConfigurationError(
                argument: certificatePath == nil ? "--cert" : "--key", expected: "--cert and --key together",
                got: "only one of them")
        }
    }

    /// What `--help` prints.
    public static let help = """
        sense-server: hears, sees and feels for the people it is paired with.

        usage: sense-server [options]
          --listen HOST:PORT           where wss:// and https:// are served (default 0.0.0.0:8443; port 0 = any)
          --insecure-listen HOST:PORT  plain ws:// as well; only for a network you trust entirely
          --data DIR                   store, certificate and key (default var)
          --models DIR                 models and their manifest.json (default Models)
          --words FILE                 words for suggestions, one a line (default /usr/share/dict/words)
          --cert FILE --key FILE       your own certificate, PEM (default: one is made at first start)
          --allow-origin ORIGIN        a web page that may connect; may be given several times
          --loops N                    network threads (default: one a core)
          --max-sessions N             devices of one person connected at once (default 32)
          --log LEVEL                  debug, info, warning or error (default info)

        SIGTERM stops it gracefully, SIGHUP reads the certificate again.
        It is not a listed life-safety device. Never remove a smoke or CO alarm because of it.
        """
}

/// A command-line argument that cannot be taken.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The argument.
    public var argument: String
    /// What it takes.
    public var expected: String
    /// What came.
    public var got: String

    /// One sentence for the terminal.
    public var description: String { "\(argument): expected \(expected), got \(got)" }
}
