public import SenseProtocol

/// How many media bytes the server takes before it gives more credit.
public struct MediaCredit: Sendable, Equatable {
    /// Bytes that may be sent now.
    public private(set) var leftBytes: UInt64

    /// - Parameter bytes: as the welcome says.
    public init(bytes: UInt64 = 0) { leftBytes = bytes }

    /// What a hand frame costs: its size on the wire with floats.
    static let handFrameBytes = 280

    /// What one object of a scene costs.
    static let sceneObjectBytes = 64

    /// What a message costs; 0 for what is no media.
    public static func cost(of body: Envelope.Body) -> UInt64 {
        switch body {
        case .audioChunk(let chunk): UInt64(clamping: chunk.samples.count)
        case .handFrames(let message): UInt64(clamping: message.frames.count * handFrameBytes)
        case .songChunk(let chunk): UInt64(clamping: chunk.data.count)
        case .sceneFrame(let scene): UInt64(clamping: scene.objects.count * sceneObjectBytes)
        default: 0
        }
    }

    mutating func grow(_ bytes: UInt64) {
        let (sum, overflow) = leftBytes.addingReportingOverflow(bytes)
        leftBytes = overflow ? .max : sum
    }

    mutating func spend(_ bytes: UInt64) -> Bool {
        guard bytes <= leftBytes else { return false }
        leftBytes -= bytes
        return true
    }
}
