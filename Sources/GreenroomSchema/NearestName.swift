/// The known name most similar to a misspelled one; nil if none is similar.
///
/// Ignores case, dashes and underscores: `preProcessors` equals `pre-processors`. Up to a third of
/// the letters may be replaced, missing, added or swapped with a neighbour.
///
/// - Parameters:
///   - name: The misspelled name.
///   - known: The known names; the first of equally similar ones wins.
public func nearestName(to name: String, among known: [String]) -> String? {
    // Longer names are unlikely typing errors, and the cost is quadratic.
    guard name.count <= 64 else { return nil }
    let written = name.folded
    var best: (name: String, distance: Int)?
    for candidate in known where candidate.count <= 64 {
        let folded = candidate.folded
        let distance = editDistance(written, folded)
        let limit = max(1, max(written.count, folded.count) / 3)
        // A different letter is no typing error of a one-letter name.
        guard distance <= limit, distance < folded.count else { continue }
        if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
}

/// The number of letters to replace, remove, insert or swap with a neighbour between two texts.
package func editDistance(_ first: [Character], _ second: [Character]) -> Int {
    guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for row in 1...first.count {
        var current = [row]
        for column in 1...second.count {
            let isSame = first[row - 1] == second[column - 1]
            var distance = min(
                last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
            if row > 1, column > 1, first[row - 1] == second[column - 2],
                first[row - 2] == second[column - 1]
            {
                distance = min(distance, beforeLast[column - 2] + 1)
            }
            current.append(distance)
        }
        beforeLast = last
        last = current
    }
    return last[second.count]
}

extension String {
    fileprivate var folded: [Character] {
        lowercased().filter { $0 != "-" && $0 != "_" }.map { $0 }
    }
}
