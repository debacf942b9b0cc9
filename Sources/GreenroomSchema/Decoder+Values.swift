package import GreenroomMedia

extension Decoder<String> {
    /// Non-empty text.
    package static func text(_ expectation: String) -> Decoder {
        .scalar(Schema(kind: .text(pattern: nil), expectation: expectation)) { scalar in
            guard case .text(let text) = scalar, !text.isEmpty else { return nil }
            return text
        }
    }

    /// A path, made absolute relative to the file's folder. A URL is refused.
    ///
    /// - Parameter cure: The cure for a URL with a scheme.
    package static func path(
        _ expectation: String,
        cure: @escaping @Sendable (_ scheme: String) -> String = { _ in
            "Write the path of a file on this machine."
        }
    ) -> Decoder {
        let text = text(expectation)
        return Decoder(schema: text.schema) { node, path, reading in
            guard let written = text.read(node, path, &reading) else { return nil }
            guard let scheme = urlScheme(of: written) else { return reading.absolute(written) }
            reading.complain(
                "needs \(expectation), found a URL. \(cure(scheme))", about: node, path)
            return nil
        }
    }
}

extension Reading {
    /// Makes a path absolute, relative to the file's folder.
    package func absolute(_ path: String) -> String {
        absolutePath(path, from: folder)
    }
}

extension Decoder<Bool> {
    /// `true` or `false`.
    package static let boolean = scalar(Schema(kind: .boolean, expectation: "true or false")) {
        scalar in
        guard case .boolean(let value) = scalar else { return nil }
        return value
    }
}

extension Decoder where Value: RawRepresentable<String> & CaseIterable & Sendable {
    /// One of the words of an enumeration.
    ///
    /// - Parameters:
    ///   - others: Wrong words that users often write.
    ///   - meaning: The meaning of a word.
    package static func choice(
        meant others: [String: Value] = [:], _ meaning: @Sendable (Value) -> String
    ) -> Decoder {
        oneOf(
            Value.allCases.map { ($0.rawValue, meaning($0), $0) },
            meant: others.mapValues(\.rawValue))
    }
}

extension Decoder where Value: Sendable {
    /// One of several words, each with its meaning and value.
    ///
    /// - Parameters:
    ///   - more: Other words that the caller accepts, for messages.
    ///   - others: Wrong words that users often write.
    package static func oneOf(
        _ choices: [(word: String, meaning: String, value: Value)], more: [String] = [],
        meant others: [String: String] = [:]
    ) -> Decoder {
        let words = choices.map(\.word)
        let list = (words + more).joined(separator: ", ")
        let schema = Schema(
            kind: .choice(choices.map { ($0.word, $0.meaning) }),
            expectation: choices.count == 1 ? "\"\(list)\"" : "one of \(list)")
        return Decoder(schema: schema) { node, path, reading in
            if case .text(let text) = node.scalar,
                let choice = choices.first(where: { $0.word == text })
            {
                return choice.value
            }
            if case .refused = node.content { return nil }
            var message = "needs \(schema.expectation), found \(node.inWords)."
            if case .scalar(let text, _) = node.content, let meant = others[text] {
                message += " Write \(meant)."
            } else if case .text(let text) = node.scalar,
                let nearest = nearestName(to: text, among: words)
            {
                message += " Did you mean \"\(nearest)\"?"
            }
            reading.complain(message, about: node, path)
            return nil
        }
    }
}

/// Regular expressions of texts, as in the JSON Schema.
package enum Pattern {
    package static let size = "[1-9][0-9]{0,3}x[1-9][0-9]{0,3}"
    package static let fraction = "[1-9][0-9]{0,8}/[1-9][0-9]{0,8}"
    package static let capability = "\(size)@([1-9][0-9]{0,3}|\(fraction))"
    package static let duration = "(?=[0-9])([0-9]+h)?([0-9]+m)?([0-9]+(\\.[0-9]+)?s)?([0-9]+ms)?"
}

extension Decoder {
    /// A value made from text that matches a pattern.
    ///
    /// - Parameter cure: The suggested text for an invalid one; nil if none.
    package static func pattern(
        _ pattern: String, _ expectation: String,
        cure: @escaping @Sendable (String) -> String? = { _ in nil },
        make: @escaping @Sendable (String) -> Value?
    ) -> Decoder {
        let schema = Schema(kind: .text(pattern: pattern), expectation: expectation)
        return .scalar(schema, cure: cure) { scalar in
            guard case .text(let text) = scalar, text.wholeMatches(pattern) else { return nil }
            return make(text)
        }
    }
}

extension Decoder<FrameSize> {
    /// `1280x720`.
    package static let size = pattern(
        Pattern.size,
        "a size such as 1280x720, with sides of at most \(FrameSize.maximumDimension)"
    ) { FrameSize($0) }
}

extension Decoder<VideoCapability> {
    /// `1280x720@30`.
    package static let capability = pattern(
        Pattern.capability, "a size and a frame rate such as 1280x720@30 or 1280x720@30000/1001",
        cure: \.capabilityBounds
    ) { VideoCapability($0) }
}

extension String {
    /// The bounds of a size and a frame rate, for a text that is outside them; nil for any other text.
    package var capabilityBounds: String? {
        guard wholeMatches("[0-9]+x[0-9]+@[0-9]+(/[0-9]+)?") else { return nil }
        return
            "a width and a height from 1 to \(FrameSize.maximumDimension), and a rate above 0 and "
            + "up to \(Limits.frameRate)"
    }
}

extension Decoder<[VideoCapability]> {
    /// Rows of a table: at least one, with unique sizes.
    package static let rows: Decoder = {
        let list = Decoder<[Located<VideoCapability>]>.list(
            of: Decoder<VideoCapability>.capability.located(), "a list of sizes", count: 1...64)
        return Decoder(schema: list.schema) { node, path, reading in
            guard let rows = list.read(node, path, &reading) else { return nil }
            var sizes: Set<FrameSize> = []
            for row in rows where !sizes.insert(row.value.size).inserted {
                reading.diagnostics.append(
                    Diagnostic(
                        "duplicate size \(row.value.size). Keep the one with the highest rate: it "
                            + "includes the lower ones.", at: row.place))
            }
            return rows.map(\.value)
        }
    }()
}

extension Decoder<FrameRate> {
    /// `30` or `30000/1001`.
    package static let rate: Decoder = {
        let expectation = "frames a second, 1 to 1000, such as 30 or 30000/1001"
        let schema = Schema(
            kind: .anyOf([
                Schema(kind: .integer(1...1000), expectation: expectation),
                Schema(kind: .text(pattern: Pattern.fraction), expectation: expectation),
            ]), expectation: expectation)
        return scalar(schema) { scalar in
            switch scalar {
            case .integer(let rate) where (1...Int64(Limits.frameRate)).contains(rate):
                FrameRate("\(rate)")
            case .text(let text) where text.contains("/"): FrameRate(text)
            default: nil
            }
        }
    }()
}

extension Decoder<Duration> {
    /// `10s`, `500ms`, `1h30m`, within bounds.
    package static func duration(_ bounds: ClosedRange<Duration>) -> Decoder {
        let range = "\(bounds.lowerBound.asWritten) to \(bounds.upperBound.asWritten)"
        @Sendable func read(_ text: String) -> Duration? {
            Duration(asWritten: text).flatMap { bounds.contains($0) ? $0 : nil }
        }
        return pattern(
            Pattern.duration, "a time such as 10s, 500ms, 2m or 1h30m, from \(range)",
            // A number without unit probably means seconds.
            cure: { read("\($0)s") == nil ? nil : "\($0)s" }, make: read)
    }
}

extension Duration {
    /// Reads `1h30m`, `1.5s`, `500ms`: numbers with units, largest first. Ignores digits below a
    /// nanosecond.
    ///
    /// - Returns: nil for other texts, and for more than a million hours.
    package init?(asWritten text: String) {
        guard
            let parts = text.wholeMatch(
                of:
                    /(?=[0-9])(?:([0-9]+)h)?(?:([0-9]+)m)?(?:([0-9]+)(?:\.([0-9]+))?s)?(?:([0-9]+)ms)?/
            )?.output
        else { return nil }
        var sum = Duration.zero
        let wholes: [(Substring?, unit: Duration)] = [
            (parts.1, .seconds(3600)), (parts.2, .seconds(60)), (parts.3, .seconds(1)),
            (parts.5, .milliseconds(1)),
        ]
        for case (let digits?, let unit) in wholes {
            guard let count = Int32(digits) else { return nil }
            sum += unit * Int(count)
        }
        if let fraction = parts.4 {
            let nanoseconds = fraction.prefix(9)
            guard
                let count = Int64(
                    nanoseconds + String(repeating: "0", count: 9 - nanoseconds.count))
            else { return nil }
            sum += .nanoseconds(count)
        }
        guard sum <= .seconds(3_600_000_000) else { return nil }
        self = sum
    }

    /// The session file's notation, to the millisecond: `1h30m`, `500ms`.
    package var asWritten: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        let parts: [(Int64, String)] = [
            (seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
            (milliseconds, "ms"),
        ]
        let text = parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
        return text.isEmpty ? "0s" : text
    }
}

extension String {
    /// Whether the whole text matches a pattern.
    package func wholeMatches(_ pattern: String) -> Bool {
        guard let regex = try? Regex(pattern) else { return false }
        return (try? regex.wholeMatch(in: self)) != nil
    }
}
