import BridgeAI
import SenseProtocol

extension HandStream {
    /// Takes what is known about the person; the word being spelled is kept.
    mutating func take(
        adaptation: PersonalAdaptation?, vocabulary: Vocabulary, _ channel: LetterChannel
    ) {
        self.adaptation = adaptation
        guard format.wordSuggestions else {
            words = nil
            return
        }
        var fresh = WordDecoder(vocabulary: vocabulary, channel: channel)
        for letter in words?.spelled ?? [] { fresh.append(letter) }
        words = fresh
    }

    /// Follows the text: a letter, the end of a word.
    mutating func hear(_ update: BridgeAI.LetterUpdate, streamID: UInt32) {
        guard words != nil else { return }
        switch update.state {
        case .committed:
            guard let commit = update.commit else { return }
            for _ in 0..<commit.replaces { words?.removeLast() }
            words?.append(SpelledLetter(commit))
            if let partial = words?.partial() { keep(wire(partial, isFinal: false, streamID: streamID)) }
        case .space, .phraseEnd:
            if let final = endWord(streamID: streamID) { keep(final) }
        case .partial, .noHand, .uncertain, .textFull: break
        }
    }

    private mutating func keep(_ new: WordSuggestions) {
        if suggestions.last?.final == false { suggestions.removeLast() }
        suggestions.append(new)
    }

    /// What is to be sent.
    mutating func takeSuggestions() -> [WordSuggestions] {
        guard !suggestions.isEmpty else { return [] }
        defer { suggestions = [] }
        return suggestions
    }

    /// Follows an edit of the text, which was made before.
    mutating func hear(_ edit: BridgeAI.TextEdit, streamID: UInt32) -> WordSuggestions? {
        guard words != nil else { return nil }
        switch edit {
        case .space: return endWord(streamID: streamID)
        case .clear: words?.startWord()
        case .delete: reopenWord()
        }
        return words.map {
            wire(
                $0.partial() ?? WordGuess(letters: $0.letters, words: []), isFinal: false, streamID: streamID)
        }
    }

    /// The last character went. Where that was the space after a word, the word is open again, without what its letters
    /// may have been instead.
    private mutating func reopenWord() {
        let tail = letters.text.text.suffix(while: { $0 != " " })
        if let known = words?.letters, known.dropLast() == tail {
            words?.removeLast()
            return
        }
        words?.startWord()
        for letter in tail.compactMap({ Letter($0) }) {
            words?.append(SpelledLetter(letter: letter, confidence: Self.reopenedConfidence))
        }
    }

    /// How sure a letter of a reopened word is taken to be.
    private static let reopenedConfidence: Float = 0.9

    /// The word has ended; what it was, if it had letters.
    mutating func endWord(streamID: UInt32) -> WordSuggestions? {
        let guess = words?.final()
        words?.startWord()
        return guess.map { wire($0, isFinal: true, streamID: streamID) }
    }

    private func wire(_ guess: WordGuess, isFinal: Bool, streamID: UInt32) -> WordSuggestions {
        WordSuggestions(
            streamId: streamID, final: isFinal, letters: guess.letters,
            words: guess.words.map {
                WordSuggestion(
                    word: $0.word, probability: $0.probability, literal: $0.isLiteral, personal: $0.isPersonal
                )
            })
    }
}

extension String {
    /// The longest end of which every character passes `test`.
    fileprivate func suffix(while test: (Character) -> Bool) -> Substring {
        self[(lastIndex { !test($0) }.map { index(after: $0) } ?? startIndex)...]
    }
}
