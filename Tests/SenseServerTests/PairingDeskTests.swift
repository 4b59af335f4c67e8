import Testing

@testable import SenseServer

@Suite("Pairing")
struct PairingDeskTests {
    @Test("codes are read whatever their case, hyphens and look-alikes")
    func forgiving() {
        let hash = PairingDesk.hash(ofCode: "A0B1-C2D3")
        for spelling in ["a0b1c2d3", "AOBI-C2D3", "aobl c2d3", "A0B1C2D3"] {
            #expect(PairingDesk.hash(ofCode: spelling) == hash)
        }
        #expect(PairingDesk.hash(ofCode: "A0B1-C2D4") != hash)
    }

    @Test("codes have two groups of four unmistakable characters and differ")
    func shape() {
        let codes = (0..<50).map { _ in PairingDesk.makeCode() }
        #expect(Set(codes).count == 50)
        for code in codes {
            #expect(code.count == 9)
            #expect(!code.contains { "OIL".contains($0) || $0 == "U" })
        }
        #expect(PairingDesk.makeToken().count == 64)
    }
}
