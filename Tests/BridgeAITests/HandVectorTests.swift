import BridgeAI
import Testing

@Suite struct HandVectorTests {
    @Test(arguments: [0, 1, 62, 64, 126]) func anotherCountIsRefused(_ count: Int) {
        let vector = HandVector([Float](repeating: 0, count: count).span)
        #expect(vector == nil)
    }

    @Test func keepsOrder() throws {
        let numbers = (0..<63).map { Float($0) }
        let made = HandVector(numbers.span)
        var vector = try #require(made)
        #expect(vector.values == numbers)
        #expect(vector[62] == 62)
        let before = vector
        vector[7] = -1
        #expect(vector != before)
        #expect(before.values == numbers)
    }

    @Test(arguments: [0, 5, 63, 70]) func copiesWhatFits(_ room: Int) throws {
        let numbers = (0..<63).map { Float($0) + 1 }
        let made = HandVector(numbers.span)
        let vector = try #require(made)
        var target = [Float](repeating: 0, count: room)
        var span = target.mutableSpan
        vector.copy(to: &span)
        #expect(target == (0..<room).map { $0 < 63 ? Float($0) + 1 : 0 })
    }

    @Test func comparesAsNumbers() {
        var vector = HandVector()
        #expect(vector == HandVector())
        vector[0] = -0.0
        #expect(vector == HandVector())
        vector[0] = .nan
        #expect(vector != vector)
    }
}
