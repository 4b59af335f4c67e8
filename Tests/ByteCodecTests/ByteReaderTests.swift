import ByteCodec
import Testing

struct ByteReaderTests {
    @Test
    func integersInBothOrders() throws {
        var reader = ByteReader([0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0xff, 0xfe])
        #expect(try reader.readInteger(UInt16.self, .big) == 0x0102)
        #expect(try reader.readInteger(UInt32.self, .little) == 0x0605_0403)
        #expect(try reader.readInteger(Int16.self, .big) == -2)
        #expect(reader.isAtEnd)
    }

    @Test
    func aFailedReadConsumesNothing() {
        var reader = ByteReader([1, 2, 3])
        #expect(throws: ByteError.truncated(offset: 0, needed: 8, available: 3)) {
            try reader.readInteger(UInt64.self, .big)
        }
        #expect(throws: ByteError.truncated(offset: 0, needed: 4, available: 3)) { try reader.readBytes(4) }
        #expect(throws: ByteError.negativeCount(offset: 0, got: -1)) { try reader.skip(-1) }
        #expect(throws: ByteError.truncated(offset: 0, needed: .max, available: 3)) {
            try reader.readSlice(.max)
        }
        #expect(reader.offset == 0)
        #expect(reader.peek == 1)
    }

    @Test
    func windowsConfineReading() throws {
        var reader = ByteReader([1, 2, 3, 4])
        let outer = try reader.narrow(to: 2)
        #expect(try reader.readBytes(2) == [1, 2])
        #expect(throws: ByteError.truncated(offset: 2, needed: 1, available: 0)) { try reader.readByte() }
        reader.widen(to: outer)
        #expect(reader.remaining == 2)
        #expect(throws: ByteError.truncated(offset: 2, needed: 3, available: 2)) { try reader.narrow(to: 3) }
        reader.widen(to: .max)
        #expect(reader.end == 4)
        reader.move(to: -5)
        #expect(reader.offset == 0)
    }

    @Test
    func slicesStartAtZero() throws {
        let slice = [9, 9, 7, 8][2...].map { UInt8($0) }[...]
        var reader = ByteReader(slice)
        #expect(try reader.readByte() == 7)
        #expect(reader.offset == 1)
    }

    @Test
    func scalarsAreCopiedAtOnce() throws {
        var writer = ByteWriter()
        writer.append(scalars: [Float(1.5), -0.0, .infinity])
        #expect(writer.bytes == [0, 0, 0xc0, 0x3f, 0, 0, 0, 0x80, 0, 0, 0x80, 0x7f])
        var reader = ByteReader(writer.bytes)
        var values: [Float] = [7]
        try reader.readScalars(2, appendingTo: &values)
        #expect(values.map(\.bitPattern) == [Float(7), 1.5, -0.0].map(\.bitPattern))
        #expect(throws: ByteError.truncated(offset: 8, needed: 8, available: 4)) {
            try reader.readScalars(2, appendingTo: &values)
        }
        #expect(throws: ByteError.truncated(offset: 8, needed: .max, available: 4)) {
            try reader.readScalars(.max, appendingTo: &values)
        }
        #expect(throws: ByteError.negativeCount(offset: 8, got: -4)) {
            try reader.readScalars(-1, appendingTo: &values)
        }
    }

    @Test(arguments: [
        ([0x61] as [UInt8], "a"), ([0xc3, 0xa9], "é"), ([0xf0, 0x9f, 0x94, 0x94], "🔔"), ([], ""),
        ([0xc0, 0x80], nil), ([0xed, 0xa0, 0x80], nil), ([0xf4, 0x90, 0x80, 0x80], nil), ([0xe6, 0x97], nil),
    ])
    func onlyValidTextIsRead(bytes: [UInt8], text: String?) throws {
        var reader = ByteReader(bytes)
        #expect(try reader.readUTF8(bytes.count) == text)
        #expect(reader.offset == (text == nil ? 0 : bytes.count))
    }
}
