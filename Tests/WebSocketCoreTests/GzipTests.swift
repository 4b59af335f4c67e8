import Testing
import WebSocketCore

@Suite struct GzipTests {
    /// `{"frames":[null]}` in one member.
    private static let file: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 171, 86, 74, 43, 74, 204, 77, 45, 86, 178, 138, 206, 43, 205, 201,
        137,
        173, 5, 0, 192, 244, 102, 49, 17, 0, 0, 0,
    ]

    @Test func inflates() throws {
        let content = try Gzip.inflate(Self.file, maxBytes: 17)
        #expect(content == Array("{\"frames\":[null]}".utf8))
        #expect(Gzip.isGzip(Self.file))
        #expect(!Gzip.isGzip([31]))
    }

    @Test func theLimitHoldsWhateverTheFileClaims() {
        #expect(throws: GzipError.tooLarge(maxBytes: 16)) { try Gzip.inflate(Self.file, maxBytes: 16) }
        // The length field says 2 GiB; it is the content that counts, and the field must fit it.
        var claim = Self.file
        claim.replaceSubrange((claim.count - 4)..., with: [0, 0, 0, 128])
        #expect(throws: GzipError.damaged) { try Gzip.inflate(claim, maxBytes: 1 << 20) }
    }

    @Test func cutsAndAppendixesAreDamage() {
        for end in 0..<Self.file.count {
            #expect(throws: GzipError.damaged) { try Gzip.inflate(Array(Self.file[..<end]), maxBytes: 100) }
        }
        #expect(throws: GzipError.damaged) { try Gzip.inflate(Self.file + [0], maxBytes: 100) }
    }
}
