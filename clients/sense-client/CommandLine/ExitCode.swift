import Glibc

/// Exit codes of `sense-client`, listed by `sense-client --help`.
enum ExitCode: Int32 {
    /// Done.
    case ok = 0
    /// The server said no, or the connection broke.
    case serverError = 1
    /// The command line cannot be understood.
    case usage = 2
    /// Nobody answers at the address.
    case cannotConnect = 3
    /// Not paired, or the token is not in force.
    case notPaired = 4
    /// The certificate is unknown or has changed.
    case certificate = 5
    /// A file cannot be read or written.
    case unreadable = 6
    /// Something that `--expect` asked for did not come.
    case expectationMissed = 7
    /// Ended by Ctrl-C before it was done.
    case interrupted = 130

    /// Ends the process. `exit` would first let the libraries tear down what connections share (OpenSSL does), while the
    /// network threads still use it. Nothing is lost: output is not buffered.
    func endProcess() -> Never { _exit(rawValue) }
}

/// Why a command ends early: the code, one sentence, and what to do.
struct Failure: Error {
    var code: ExitCode
    var message: String
    var advice: String = ""
}
