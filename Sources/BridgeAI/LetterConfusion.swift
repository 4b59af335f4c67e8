/// Letters that people and networks take for each other, because one finger or the thumb makes the difference.
extension Letter {
    /// The letters easily taken for this one, in the order of the alphabet; empty for a letter that stands alone.
    ///
    /// Groups: A E M N S T (fists that differ in the thumb), U R V and K P V (two fingers), G Q H (sideways),
    /// X Z and D (one finger), I J Y (the little finger).
    public var confusables: [Letter] {
        var found: [Letter] = []
        let group = Self.groups[index]
        for other in 0..<Self.count where other != index && group & (1 << UInt32(other)) != 0 {
            if let letter = Letter(index: other) { found.append(letter) }
        }
        return found
    }

    /// Bit i of element l: letter i belongs to a group of letter l, itself included.
    static let groups: [UInt32] = {
        let written = ["AEMNST", "RUV", "KPV", "GHQ", "XZ", "DZ", "IJY"]
        var masks = (0..<count).map { UInt32(1) << UInt32($0) }
        for group in written {
            let letters = group.compactMap { Letter($0)?.index }
            let mask = letters.reduce(UInt32(0)) { $0 | 1 << UInt32($1) }
            for letter in letters { masks[letter] |= mask }
        }
        return masks
    }()
}
