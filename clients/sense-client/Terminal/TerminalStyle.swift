/// Colour and bars, on a terminal only.
struct TerminalStyle: Sendable {
    /// Whether escape sequences are written.
    var isOn: Bool

    func bold(_ text: String) -> String { wrap(text, "1") }
    func dim(_ text: String) -> String { wrap(text, "2") }
    func red(_ text: String) -> String { wrap(text, "1;31") }
    func yellow(_ text: String) -> String { wrap(text, "33") }
    func green(_ text: String) -> String { wrap(text, "32") }

    private func wrap(_ text: String, _ code: String) -> String {
        isOn ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }

    /// A bar of `width` cells for a value of 0…1.
    func bar(_ value: Float, width: Int = 12) -> String {
        let share = value.isFinite ? min(1, max(0, value)) : 0
        let filled = Int((share * Float(width)).rounded())
        return String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
    }
}

extension Double {
    /// With a fixed number of decimals, `-` for what is no number.
    func fixed(_ places: Int) -> String {
        guard isFinite, abs(self) < 1e15 else { return "-" }
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = Int64((abs(self) * scale).rounded())
        let digits = String(scaled)
        let sign = self < 0 && scaled != 0 ? "-" : ""
        guard places > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return "\(sign)\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}

extension String {
    /// Filled with spaces on the right.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: Swift.max(0, width - count)) }

    /// Filled with spaces on the left.
    func paddedLeft(_ width: Int) -> String {
        String(repeating: " ", count: Swift.max(0, width - count)) + self
    }

    /// Without control characters: what a server or file says must not steer the terminal.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) ? "·" : $0 }))
    }
}
