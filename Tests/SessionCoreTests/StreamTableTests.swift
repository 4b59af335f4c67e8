import TestSupport
import Testing

@testable import SessionCore

@Suite struct StreamTableTests {
    /// A random script against a dictionary.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func behavesAsADictionary(_ seed: UInt64) {
        var random = SeededBytes(seed: seed)
        var table = StreamTable<Int>()
        var model: [UInt32: Int] = [:]
        for step in 0..<400 {
            let id = UInt32(random.next() % 12)
            switch random.next() % 4 {
            case 0:
                table[id] = nil
                model[id] = nil
            case 1:
                if let place = table.place(of: id) { table.contents[place] += 1 }
                if let value = model[id] { model[id] = value + 1 }
            default:
                table[id] = step
                model[id] = step
            }
            #expect(table.count == model.count)
            #expect(table.keys.sorted() == model.keys.sorted())
            for key in 0..<12 as Range<UInt32> { #expect(table[key] == model[key]) }
        }
        table.removeAll()
        #expect(table.count == 0 && table.contents.isEmpty)
    }
}
