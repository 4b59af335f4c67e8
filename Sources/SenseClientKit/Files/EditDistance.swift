/// Fewest insertions, deletions and substitutions that turn one string into the other (Levenshtein).
public func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var row = Array(0...b.count)
    for (i, left) in a.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, right) in b.enumerated() {
            let above = row[j + 1]
            row[j + 1] = min(above + 1, row[j] + 1, diagonal + (left == right ? 0 : 1))
            diagonal = above
        }
    }
    return row[b.count]
}
