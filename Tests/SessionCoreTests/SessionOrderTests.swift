import TestSupport
import Testing

@testable import SessionCore

@Suite struct SessionOrderTests {
    @Test("holds each once, in order", arguments: 0..<20)
    func order(seed: UInt64) {
        var random = SeededBytes(seed: seed)
        var order = SessionOrder()
        var expected: Set<SessionID> = []
        for _ in 0..<200 {
            let id = SessionID(UInt64.random(in: 0..<24, using: &random))
            if Bool.random(using: &random) {
                order.insert(id)
                expected.insert(id)
            } else {
                order.remove(id)
                expected.remove(id)
            }
            #expect(order.ids == expected.sorted())
        }
    }
}
