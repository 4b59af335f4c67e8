import Testing

@testable import Storage

@Suite struct MailboxTests {
    @Test func elementsComeInOrderAndInBatches() throws {
        let mailbox = Mailbox<Int>(maxElements: 5, maxBytes: 100)
        for number in 0..<5 { try mailbox.send(number, bytes: 1) }
        #expect(mailbox.receive(limit: 2) == [0, 1])
        #expect(mailbox.count == 3)
        mailbox.close()
        #expect(mailbox.receive(limit: 9) == [2, 3, 4])
        #expect(mailbox.receive(limit: 9) == nil)
        #expect(throws: StorageError.closed) { try mailbox.send(9, bytes: 0) }
    }

    @Test func bothLimitsRefuseWithoutWaiting() throws {
        let mailbox = Mailbox<Int>(maxElements: 2, maxBytes: 10)
        try mailbox.send(1, bytes: 10)
        #expect(throws: StorageError.queueFull(limit: 10)) { try mailbox.send(2, bytes: 1) }
        try mailbox.send(2, bytes: 0)
        #expect(throws: StorageError.queueFull(limit: 2)) { try mailbox.send(3, bytes: 0) }
        #expect(throws: StorageError.queueFull(limit: 2)) { try mailbox.send(3, bytes: .max) }
        #expect(mailbox.receive(limit: 1) == [1])
        try mailbox.send(3, bytes: 10)
    }
}
