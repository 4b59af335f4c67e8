import Foundation
import Testing

/// The architecture is a test: `ops/check-imports` run on this tree, and on copies with one fault planted each.
@Suite struct ImportTableTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func check(_ folder: URL) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = [folder.appendingPathComponent("ops/check-imports").path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    /// A small tree that passes, to plant faults in.
    private func plantedTree() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tree-\(UUID().uuidString)")
        for name in ["ops/check-imports", "ops/check-imports.awk"] {
            let copy = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: Self.root.appendingPathComponent(name), to: copy)
        }
        try write(
            "L0 Leaf :\nL1 Core : Leaf\nL2 Disk : Leaf CDisk\nL2 Wire : Leaf\n", "ops/import-table", folder)
        try write("Sources/Disk/Call.swift  calls C\n", "ops/unsafe-files", folder)
        try write("let a = 1\n", "Sources/Leaf/A.swift", folder)
        try write("public import Leaf\n", "Sources/Core/B.swift", folder)
        try write("import CDisk\nimport Leaf\nlet c = unsafe call()\n", "Sources/Disk/Call.swift", folder)
        try write("import Leaf\n", "Sources/Wire/D.swift", folder)
        try write("import Core\n", "Tests/CoreTests/E.swift", folder)
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("clients"), withIntermediateDirectories: true)
        return folder
    }

    private func write(_ text: String, _ name: String, _ folder: URL) throws {
        let file = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test func thisTreeKeepsItsImportTable() throws {
        let result = try check(Self.root)
        #expect(result.status == 0, "\(result.output)")
    }

    @Test func aCleanTreePasses() throws {
        let folder = try plantedTree()
        defer { try? FileManager.default.removeItem(at: folder) }
        let result = try check(folder)
        #expect(result.status == 0, "\(result.output)")
    }

    @Test(arguments: [
        ("Sources/Leaf/A.swift", "import Core\n", "Sources/Leaf/A.swift: must not import Core"),
        ("Sources/Core/B.swift", "import Foundation\n", "must not import Foundation"),
        ("Sources/Core/B.swift", "@testable import Disk\n", "must not import Disk"),
        ("Sources/Wire/D.swift", "    internal import struct Disk.File\n", "must not import Disk"),
        ("Sources/Wire/D.swift", "@_exported public import CDisk\n", "must not import CDisk"),
        ("Sources/Wire/D.swift", "let d = unsafe call()\n", "D.swift: unsafe code"),
        ("Sources/Core/B.swift", "func b(_ p: UnsafeRawPointer) {}\n", "B.swift: unsafe code"),
        ("Sources/Disk/Call.swift", "let c = 1\n", "Call.swift: listed in ops/unsafe-files"),
        ("ops/unsafe-files", "Sources/Disk/Call.swift\n", "an entry without a reason"),
        ("ops/import-table", "L0 Leaf :\n", "Core: no line in ops/import-table"),
        ("ops/import-table", "L1 Core : Disk\nL2 Disk :\n", "must not import Disk (L2)"),
        ("ops/import-table", "L2 Disk : Wire\nL2 Wire :\n", "must not import Wire (L2)"),
        ("ops/import-table", "L2 Disk : CDisk\nL2 Wire : CDisk\n", "CDisk belongs to two targets"),
        ("ops/import-table", "file Sources/Leaf/Gone.swift : Glibc : libm\n", "Gone.swift: listed"),
        ("Sources/Leaf/A.swift", String(repeating: "//\n", count: 601), "601 lines"),
        ("Tests/CoreTests/E.swift", String(repeating: "//\n", count: 601), "601 lines"),
    ]) func eachFaultIsFound(_ name: String, _ text: String, _ expected: String) throws {
        let folder = try plantedTree()
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(text, name, folder)
        let result = try check(folder)
        #expect(result.status == 1)
        #expect(result.output.contains(expected), "\(result.output)")
    }
}
