// A WebSocket server that sends every message back: the yardstick for conformance and speed of the connection
// stack that the real server uses.
import Glibc
import Net
import SenseServer
import TLS
import WebSocketCore

func fail(_ reason: String) -> Never {
    print("ws-echo: \(reason)")
    exit(2)
}

nonisolated func serve(_ options: EchoOptions) {
    ProcessSignal.blockAll()
    var limits = TransportLimits()
    limits.webSocket = .conformance
    // Two of the largest messages must be able to wait.
    limits.outbound.mustBytes = 2 * limits.webSocket.maxMessageBytes
    limits.stream.hardCapBytes = 4 * limits.webSocket.maxMessageBytes
    do {
        let tls = try options.certificatePath.map { path in
            try TLSContext(server: TLSIdentity(certificatePath: path, privateKeyPath: options.privateKeyPath))
        }
        let group = try ServerGroup(
            application: EchoApplication(),
            endpoints: [ServerEndpoint(address: .loopback(port: options.port), tls: tls)],
            loops: options.loops,
            limits: limits)
        let loop = group.shards[0].loop
        loop.post {
            _ = try? SignalSource(loop: loop) { signal in
                if signal != .reload { group.drain() }
            }
        }
        print("listening on \(group.addresses[0])")
        fflush(nil)
        group.join()
    } catch {
        fail("\(error)")
    }
}

do throws(EchoOptions.Invalid) {
    if let options = try EchoOptions(Array(CommandLine.arguments.dropFirst())) {
        serve(options)
    } else {
        print(EchoOptions.usage)
    }
} catch {
    fail("\(error.reason)\n\(EchoOptions.usage)")
}
