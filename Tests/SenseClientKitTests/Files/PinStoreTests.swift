import SenseClientKit
import Testing

@Suite struct PinStoreTests {
    @Test func keepsWhatItIsTold() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("client.json", "{\"servers\":{}}")
        var store = try PinStore(path: path)
        let address = ServerAddress(host: "home", port: 8443)
        #expect(store[address] == PinStore.Server())
        store[address].token = "secret \"quoted\""
        store[address].fingerprint = "ab"
        store.defaultServer = address.hostAndPort
        try store.save()
        let again = try PinStore(path: path)
        #expect(again == store)
        #expect(again[ServerAddress(host: "home", port: 8444)] == PinStore.Server())
        #expect(folder.mode(of: path) == 0o600)
    }

    @Test func aMissingFileIsAnEmptyStore() throws {
        let folder = try ScratchFolder()
        let store = try PinStore(path: "\(folder.path)/none.json")
        #expect(store.servers.isEmpty)
        #expect(store.defaultServer == nil)
    }

    @Test(arguments: ["", "{", "[]", "{\"servers\":3}", "{\"servers\":{\"a\":{\"token\":5}}}"])
    func aDamagedFileIsNotOverwritten(content: String) throws {
        let folder = try ScratchFolder()
        let path = try folder.file("client.json", content)
        #expect(throws: LocalFileError.self) { try PinStore(path: path) }
        #expect(try LocalFile.read(path, maxBytes: 100) == Array(content.utf8))
    }

    @Test func forgets() throws {
        let folder = try ScratchFolder()
        var store = try PinStore(path: "\(folder.path)/none.json")
        let address = ServerAddress(host: "a")
        store[address].token = "t"
        store.defaultServer = address.hostAndPort
        store.forget(address)
        #expect(store.servers.isEmpty)
        #expect(store.defaultServer == nil)
    }

    @Test func sizesAreBounded() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("big", [UInt8](repeating: 0x20, count: 101))
        #expect(throws: LocalFileError.tooLarge(path: path, maxBytes: 100)) {
            try LocalFile.read(path, maxBytes: 100)
        }
        #expect(try LocalFile.read(path, maxBytes: 101).count == 101)
        #expect(throws: LocalFileError.isDirectory(path: folder.path)) { try PinStore(path: folder.path) }
    }
}
