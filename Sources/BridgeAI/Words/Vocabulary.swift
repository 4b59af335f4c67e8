import Numerics

/// The words that one stream may be spelling: those of the language and the person's own names and places.
public struct Vocabulary: Equatable, Sendable {
    /// Words of the language; shared by all streams of a server.
    public let language: Lexicon
    /// The person's own.
    public let personal: Lexicon
    /// How the person writes each of their own words, by its capitals.
    let spelling: [String: String]
    private let sequences: LetterSequences

    /// Without any list, nothing is suggested.
    public init(language: Lexicon = Lexicon([]), sequences: LetterSequences = LetterSequences()) {
        self.init(language: language, sequences: sequences, personal: Lexicon([]), spelling: [:])
    }

    private init(
        language: Lexicon, sequences: LetterSequences, personal: Lexicon, spelling: [String: String]
    ) {
        self.language = language
        self.sequences = sequences
        self.personal = personal
        self.spelling = spelling
    }

    /// The same language with a person's own words instead of the present ones.
    ///
    /// - Parameter list: names and places, separated by commas, semicolons or line ends. Spaces, hyphens, apostrophes
    ///   and marks above letters are not spelled; entries with other signs, and those after the first
    ///   `BridgeAILimits.maxPersonalWords`, are left out.
    public func with(personalList list: String) -> Vocabulary {
        var spelling: [String: String] = [:]
        for entry in list.split(whereSeparator: { ",;\n\r".contains($0) }) {
            guard spelling.count < BridgeAILimits.maxPersonalWords else { break }
            let shown = entry.trimmed
            guard let letters = Self.letters(of: shown) else { continue }
            spelling[letters] = String(shown)
        }
        return Vocabulary(
            language: language, sequences: sequences, personal: Lexicon(spelling.keys), spelling: spelling)
    }

    /// Cost of a string that no list holds: half the time a name, built like a word of the language, half the time an
    /// abbreviation, any letters whatever.
    func unlistedCost(_ letters: [Letter]) -> Float {
        let any = -Double(letters.count) * Double(LetterChannel.anyLetter)
        let wordLike = -Double(sequences.cost(letters))
        let larger = max(any, wordLike)
        return -Float(
            larger
                + Elementary.log(0.5 * Elementary.exp(any - larger) + 0.5 * Elementary.exp(wordLike - larger))
        )
    }

    /// Capitals A–Z of a name as it is spelled with the hand; nil when it has signs that are not spelled.
    static func letters(of name: some StringProtocol) -> String? {
        var letters = ""
        for character in name {
            if let letter = Letter(character) {
                letters.append(letter.character)
            } else if let plain = plainLetters[character] {
                letters += plain
            } else if !" -'’.".contains(character) {
                return nil
            }
        }
        return Lexicon.key(letters) == nil ? nil : letters
    }

    /// Letters with marks, and what is spelled for them.
    private static let plainLetters: [Character: String] = {
        var table: [Character: String] = [
            "ß": "SS", "Æ": "AE", "æ": "AE", "Œ": "OE", "œ": "OE", "Þ": "TH", "þ": "TH", "Ð": "D", "ð": "D",
        ]
        for (plain, marked) in [
            ("A", "ÀÁÂÃÄÅĀĂĄàáâãäåāăą"), ("C", "ÇĆČçćč"), ("D", "ĎĐďđ"), ("E", "ÈÉÊËĒĖĘĚèéêëēėęě"),
            ("G", "ĞĢğģ"), ("I", "ÌÍÎÏĪĮİìíîïīįı"), ("K", "Ķķ"), ("L", "ĹĻĽŁĺļľł"), ("N", "ÑŃŅŇñńņň"),
            ("O", "ÒÓÔÕÖØŌŐòóôõöøōő"), ("R", "ŔŘŕř"), ("S", "ŚŞŠȘśşšș"), ("T", "ŢŤȚţťț"),
            ("U", "ÙÚÛÜŪŮŰŲùúûüūůűų"), ("Y", "ÝŸýÿ"), ("Z", "ŹŻŽźżž"),
        ] {
            for character in marked { table[character] = plain }
        }
        return table
    }()
}

extension Substring {
    /// Without spaces at its ends.
    fileprivate var trimmed: Substring {
        var rest = self
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}
