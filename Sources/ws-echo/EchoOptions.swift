/// The command line, read.
struct EchoOptions {
    static let usage = """
        usage: ws-echo --port N [--tls CERT KEY] [--loops N]
        Serves ws://127.0.0.1:N (wss with --tls, PEM files) and echoes every message.
        Port 0 picks a free one; the address is printed.
        """

    /// A command line that makes no sense, and why.
    struct Invalid: Error { var reason: String }

    var port: UInt16
    var loops = 1
    var certificatePath: String?
    var privateKeyPath = ""

    /// Nil if help is asked for.
    init?(_ arguments: [String]) throws(Invalid) {
        var port: UInt16?
        var rest = arguments[...]
        func value(of option: String) throws(Invalid) -> String {
            guard let value = rest.popFirst() else { throw Invalid(reason: "\(option) needs a value") }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--port":
                let text = try value(of: option)
                port = UInt16(text)
                if port == nil { throw Invalid(reason: "--port takes 0...65535, not \(text)") }
            case "--loops":
                let text = try value(of: option)
                guard let count = Int(text), (1...64).contains(count) else {
                    throw Invalid(reason: "--loops takes 1...64, not \(text)")
                }
                loops = count
            case "--tls":
                certificatePath = try value(of: option)
                privateKeyPath = try value(of: option)
            case "--help", "-h": return nil
            default: throw Invalid(reason: "unknown argument \(option)")
            }
        }
        guard let port else { throw Invalid(reason: "--port is missing") }
        self.port = port
    }
}
