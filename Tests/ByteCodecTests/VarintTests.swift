import ByteCodec
import Testing

struct VarintTests {
    @Test(
        arguments: [
            (0, [0x00]), (127, [0x7f]), (128, [0x80, 0x01]), (300, [0xac, 0x02]), (16_383, [0xff, 0x7f]),
            (.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
        ] as [(UInt64, [UInt8])])
    func minimalForm(value: UInt64, bytes: [UInt8]) throws {
        var writer = ByteWriter()
        writer.appendVarint(value)
        #expect(writer.bytes == bytes)
        #expect(ByteWriter.varintSize(value) == bytes.count)
        var reader = ByteReader(bytes)
        #expect(try reader.readVarint() == value)
    }

    @Test
    func sizeAgreesAtEveryBitWidth() {
        for shift in 0..<64 as Range<UInt64> {
            for value in [1 << shift, (1 << shift) &- 1, .max >> shift] as [UInt64] {
                var writer = ByteWriter()
                writer.appendVarint(value)
                #expect(writer.count == ByteWriter.varintSize(value))
            }
        }
    }

    @Test
    func paddedFormIsAccepted() throws {
        var reader = ByteReader([0x81, 0x80, 0x00])
        #expect(try reader.readVarint() == 1)
        var longest = ByteReader([0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00])
        #expect(try longest.readVarint() == 1)
    }

    @Test
    func moreThan64BitsAreRefused() {
        for last in [0x02, 0x80, 0xff] as [UInt8] {
            var reader = ByteReader([UInt8](repeating: 0xff, count: 9) + [last, 0x01])
            #expect(throws: ByteError.overlongVarint(offset: 0)) { try reader.readVarint() }
            #expect(reader.offset == 0)
        }
    }

    @Test
    func aCutVarintSaysSo() {
        var reader = ByteReader([0x80, 0x80])
        #expect(throws: ByteError.truncated(offset: 0, needed: 3, available: 2)) { try reader.readVarint() }
    }

    @Test
    func lengthsAreCheckedBeforeUse() {
        var huge = ByteReader([UInt8](repeating: 0xff, count: 9) + [0x01])
        #expect(throws: ByteError.overLimit(offset: 0, limit: .max, got: .max)) { try huge.readLength() }
        var long = ByteReader([5, 1, 2])
        #expect(throws: ByteError.truncated(offset: 0, needed: 5, available: 2)) { try long.readLength() }
        #expect(throws: ByteError.overLimit(offset: 0, limit: 4, got: 5)) { try long.readLength(limit: 4) }
    }
}
