import BridgeAI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

func readLines(_ path: String) throws -> [String] {
    let data = try Data(contentsOf: URL(filePath: path))
    return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
}

func write(_ text: String, to path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

/// `[26 x 26]` from a CSV with a head line and the shown letter in the first column.
func readConfusions(_ path: String) throws -> [Float] {
    let rows = try readLines(path).dropFirst()
    return try rows.flatMap { line in
        try line.split(separator: ",").dropFirst().map { cell in
            guard let value = Float(cell) else {
                throw Usage(description: "\(path): \(cell) is not a number")
            }
            return value
        }
    }
}
