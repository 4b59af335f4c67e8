import BridgeAI
import Numerics
import SenseClientKit

/// Words of the list, own names and unlisted strings, spelled by each signer under each noise; error rates of the raw
/// letters against those of the likeliest suggestion.
struct WordBench {
    let signers: [Signer]
    let confusions: [Float]
    /// Words of the language list.
    let listed: [[Letter]]
    /// Names in the person's own list.
    let personal = [
        "Priya", "Anneliese", "Tomasz", "Okonkwo", "Sundaram", "Juarez", "Bialystok", "Kirchweg", "Yvaine",
        "Mbeki", "Zofia", "Quynh", "Haverbrook", "Ljubljana", "Ferreira", "Grzegorz", "Noor", "Szymon",
        "Tallinn",
        "Oduya",
    ]
    /// In no list.
    let unlisted = [
        "NHS", "BRB", "USB", "WIFI", "HDMI", "PDF", "ASAP", "DHL", "JFK", "IKEA", "ZDF", "GPS", "TBH", "KVM",
        "Wrenfield", "Adelmar", "Kashvi", "Thornquist", "Ollerby", "Mirembe", "Vantaa", "Dagny", "Pellworm",
        "Xiulan", "Brakspear", "Yorick", "Ullrich", "Nakamura", "Fjellstad", "Castellan",
    ]
    let vocabulary: Vocabulary

    init(signers: [Signer], language: [String], confusions: [Float], count: Int) throws {
        self.signers = signers
        self.confusions = confusions
        let lexicon = Lexicon(language)
        vocabulary = Vocabulary(language: lexicon, sequences: LetterSequences(language)).with(
            personalList: personal.joined(separator: ","))
        var random = SeededNoise(seed: 17)
        let candidates = language.filter { (3...12).contains($0.utf8.count) && lexicon.contains($0) }
        listed = (0..<count).compactMap { _ in
            candidates.randomElement(using: &random)?.compactMap { Letter($0) }
        }
        print(
            "\(lexicon.wordCount) words in \(lexicon.byteCount / 1024) KB; \(listed.count) words, "
                + "\(personal.count) own names, \(unlisted.count) unlisted strings")
    }

    struct Outcome {
        var characters = 0
        var rawErrors = 0
        var bestErrors = 0
        var strings = 0
        var rawRight = 0
        var bestRight = 0
        var amongFive = 0
        /// Letters were right, the likeliest suggestion is not.
        var spoiled = 0

        var raw: Double { Double(rawErrors) / Double(max(1, characters)) }
        var best: Double { Double(bestErrors) / Double(max(1, characters)) }
    }

    /// Spells `words` by every signer who can.
    func run(
        _ words: [[Letter]], _ noise: SpellingNoise, costs: LetterChannel.Costs = .init(),
        prior: WordDecoder.Prior = .init(), signers: [Signer]
    ) -> Outcome {
        var outcome = Outcome()
        guard let channel = try? LetterChannel(confusions: confusions, costs: costs) else { return outcome }
        for signer in signers {
            var random = SeededNoise(seed: 5)
            var decoder = WordDecoder(vocabulary: vocabulary, channel: channel, prior: prior)
            for word in words where signer.canSpell(word) {
                let written = noise.spell(word, by: signer, &random)
                decoder.startWord()
                for letter in written { decoder.append(letter) }
                let truth = word.map(\.character)
                let raw = written.map(\.letter.character)
                let guess = decoder.final()
                let shown = (guess?.words ?? []).map { plain($0.word) }
                let best = shown.first ?? raw
                outcome.strings += 1
                outcome.characters += truth.count
                outcome.rawErrors += editDistance(raw, truth)
                outcome.bestErrors += editDistance(best, truth)
                outcome.rawRight += raw == truth ? 1 : 0
                outcome.bestRight += best == truth ? 1 : 0
                outcome.spoiled += raw == truth && best != truth ? 1 : 0
                outcome.amongFive += shown.contains(truth) || raw == truth ? 1 : 0
            }
        }
        return outcome
    }

    private func plain(_ word: String) -> [Character] { word.compactMap { Letter($0)?.character } }

    private func letters(_ words: [String]) -> [[Letter]] { words.map { $0.compactMap { Letter($0) } } }

    /// The table of the shipped costs.
    func measure() -> (text: String, json: String) {
        var text = ""
        var rows: [String] = []
        for signer in signers {
            for noise in [SpellingNoise.clean, .usual, .fast] {
                for (kind, words) in [
                    ("listed", listed), ("own names", letters(personal)), ("unlisted", letters(unlisted)),
                ] {
                    let outcome = run(words, noise, signers: [signer])
                    guard outcome.strings > 0 else { continue }
                    text += """
                        \(signer.name), \(noise.name), \(outcome.strings) \(kind): character errors \
                        \(percent(outcome.raw)) raw → \(percent(outcome.best)); right \
                        \(outcome.rawRight) → \(outcome.bestRight), among five or raw \(outcome.amongFive), \
                        right ones changed \(outcome.spoiled)

                        """
                    // The bar is a third fewer errors; strings in no list can only lose, so they have none.
                    let bar = kind == "unlisted" ? "null" : "\(outcome.raw * 200 / 3)"
                    rows.append(
                        """
                        {"name":"character errors, \(kind), \(noise.name), \(signer.name)",\
                        "value":\(outcome.best * 100),"unit":"%","bar":\(bar),"better":"lower",\
                        "raw":\(outcome.raw * 100),"strings":\(outcome.strings),"right_raw":\(outcome.rawRight),\
                        "right":\(outcome.bestRight),"right_among_five":\(outcome.amongFive),\
                        "spoiled":\(outcome.spoiled)}
                        """)
                }
            }
        }
        return (text, "{\"figures\":[" + rows.joined(separator: ",\n") + "]}\n")
    }

    /// One line: all signers together with other numbers than the shipped ones.
    func tune(_ costs: LetterChannel.Costs, _ prior: WordDecoder.Prior) -> String {
        [SpellingNoise.clean, .usual, .fast].map { noise in
            let listed = run(listed, noise, costs: costs, prior: prior, signers: signers)
            let names = run(letters(personal), noise, costs: costs, prior: prior, signers: signers)
            let other = run(letters(unlisted), noise, costs: costs, prior: prior, signers: signers)
            return
                "listed \(percent(listed.raw)) → \(percent(listed.best)), own \(percent(names.best)), unlisted "
                + "\(percent(other.raw)) → \(percent(other.best)), spoiled \(other.spoiled) of \(other.rawRight)"
        }.joined(separator: " | ")
    }

    private func percent(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        return "\(tenths / 10).\(tenths % 10) %"
    }
}
