import BridgeAI
import SenseProtocol

/// The words that letters can become: the list of the language and the measured confusions of letters, read at start.
///
/// Neither is needed to spell; what is missing is said in the log and in Welcome.
struct WordLists {
    private(set) var vocabulary = Vocabulary()
    private(set) var channel = LetterChannel()
    private(set) var unavailable: [Unavailable] = []

    /// Confusions beside the models (`Models/training/letters_confusions.py`).
    static let confusionsFile = "letter_confusions.csv"
    /// Bytes of that file.
    static let maxConfusionBytes = 65_536

    init(_ configuration: Configuration, log: Log) {
        readWords(configuration.wordsPath, log)
        readConfusions(configuration.modelsPath + "/" + Self.confusionsFile, log)
    }

    private mutating func readWords(_ path: String, _ log: Log) {
        do throws(ServerError) {
            let bytes = try FileSystem.read(path, maxBytes: BridgeAILimits.maxLexiconBytes)
            let words = Self.lines(bytes)
            vocabulary = Vocabulary(language: Lexicon(words), sequences: LetterSequences(words))
        } catch {
            log(.warning, "word list \(path): \(error.reason); letters are still spelled")
        }
        if vocabulary.language.wordCount == 0 {
            unavailable.append(
                Unavailable(
                    feature: "word_suggestions", reason: "no word list at \(path)",
                    fallback: "letters; install wamerican-small or give --words FILE"))
        } else {
            log(
                .info,
                "word list \(path): \(vocabulary.language.wordCount) words, \(vocabulary.language.byteCount / 1024) KB"
            )
        }
    }

    private mutating func readConfusions(_ path: String, _ log: Log) {
        do throws(ServerError) {
            let bytes = try FileSystem.read(path, maxBytes: Self.maxConfusionBytes)
            let table = Self.lines(bytes).dropFirst().flatMap { line in
                line.split(separator: ",").dropFirst().map { Float($0) ?? .nan }
            }
            do throws(BridgeAIError) {
                channel = try LetterChannel(confusions: table)
            } catch {
                log(.warning, "\(path): \(error); all letters count as equally alike")
            }
        } catch {
            log(.warning, "\(path): \(error.reason); all letters count as equally alike")
        }
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split { $0 == 0x0a || $0 == 0x0d }.map { String(decoding: $0, as: UTF8.self) }
    }
}
