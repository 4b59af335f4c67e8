import SenseProtocol

extension Envelope.Body {
    /// The body's field as the schema spells it, such as `open_stream`. For error texts only: it is found by reflection.
    var wireName: String {
        let caseName = Mirror(reflecting: self).children.first?.label ?? "body"
        return caseName.reduce(into: "") { name, character in
            if character.isUppercase { name += "_" }
            name += character.lowercased()
        }
    }
}
