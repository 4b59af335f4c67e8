/// The fields of a head, in wire order. Names compare without case (RFC 9110 section 5.1).
public struct HTTPFields: Equatable, Sendable {
    /// One field line.
    public struct Field: Equatable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The value without surrounding white space.
        public let value: String
    }

    /// All field lines.
    public private(set) var all: [Field] = []

    /// No fields.
    public init() {}

    /// Fields from pairs.
    public init(_ pairs: [(String, String)]) {
        for (name, value) in pairs { append(name, value) }
    }

    /// Adds a field line after the others.
    public mutating func append(_ name: String, _ value: String) {
        all.append(Field(name: name.lowercased(), value: value))
    }

    /// Every value of a field, in order. `name` in lower case.
    public func values(_ name: String) -> [String] {
        all.lazy.filter { $0.name == name }.map(\.value)
    }

    /// The value of a field that occurs exactly once, else nil. `name` in lower case.
    public func single(_ name: String) -> String? {
        let found = values(name)
        return found.count == 1 ? found[0] : nil
    }

    /// The members of a comma-separated field over all its lines, trimmed, empty ones left out
    /// (RFC 9110 section 5.6.1). Not for fields whose members may hold quoted commas. `name` in lower case.
    public func members(_ name: String) -> [String] {
        values(name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).compactMap { member in
                let trimmed = ASCII.trimmed(member)
                return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
            }
        }
    }

    /// Whether a comma-separated field has a member, compared without ASCII case. Both in lower case.
    public func hasMember(_ name: String, _ member: String) -> Bool {
        members(name).contains { $0.lowercased() == member }
    }
}
