extension String {
    /// The text with `*` for each character of a URL that may be a credential: user, password, path and query.
    package var hidingCredentials: String {
        hidingInURLs { line, begin, end in
            let path = line[begin..<end].firstIndex { "/?#".unicodeScalars.contains($0) } ?? end
            // A slash in a password: where the host begins is not known.
            guard !line[path..<end].contains("@") else { return Array(begin..<end) }
            let host = line[begin..<path].lastIndex(of: "@") ?? begin
            return Array(begin..<host) + Array(min(path + 1, end)..<end)
        }
    }

    /// The text with `*` for each character of a user and a password in a URL.
    package var hidingUsers: String {
        hidingInURLs { line, begin, end in
            Array(begin..<(line[begin..<end].lastIndex(of: "@") ?? begin))
        }
    }

    /// The line with `*` for each character behind a key that ends in `token`, `secret` or `password`.
    package var hidingSecrets: String {
        var line = Array(unicodeScalars)
        let lower = lowercased().unicodeScalars.map { $0 }
        guard lower.count == line.count else { return "***" }
        for word in ["token", "secret", "password"] {
            let word = Array(word.unicodeScalars)
            var start = 0
            while let found = lower[start...].firstRange(of: word) {
                start = found.upperBound
                let rest = lower[start...].drop { " \"'".unicodeScalars.contains($0) }
                guard let sign = rest.first, sign == ":" || sign == "=" else { continue }
                for index in rest.dropFirst().indices where line[index] != " " { line[index] = "*" }
            }
        }
        return String(String.UnicodeScalarView(line))
    }

    /// - Parameter hidden: The indices to hide in a URL, whose part behind the scheme begins
    ///   and ends there.
    private func hidingInURLs(
        _ hidden: (_ line: [Unicode.Scalar], _ begin: Int, _ end: Int) -> [Int]
    ) -> String {
        guard utf8.contains(UInt8(ascii: ":")) else { return self }
        var line = Array(unicodeScalars)
        var start = 0
        while let colon = line[start...].firstIndex(of: ":") {
            start = colon + 1
            guard line[start...].starts(with: "//".unicodeScalars) else { continue }
            let begin = colon + 3
            var end =
                line[begin...].firstIndex { " \t\n\"'".unicodeScalars.contains($0) } ?? line.count
            // Drops the closing brackets and commas of YAML after the URL. Inside the URL they may
            // belong to a password.
            while end > begin, "]},".unicodeScalars.contains(line[end - 1]) { end -= 1 }
            for index in hidden(line, begin, end) { line[index] = "*" }
            start = end
        }
        return String(String.UnicodeScalarView(line))
    }
}
