/// Random words, and their comparison.
package enum Secret {
    /// A random word of 128 bits, written with a–z and 0–9.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        var text = ""
        for _ in 0..<2 {
            let part = String(UInt64.random(in: 0...UInt64.max, using: &generator), radix: 36)
            text += String(repeating: "0", count: 13 - part.count) + part
        }
        return text
    }

    /// Whether two words are equal. The time depends only on the length of the given word.
    package static func matches(_ given: some StringProtocol, _ secret: String) -> Bool {
        let (given, secret) = (Array(given.utf8), Array(secret.utf8))
        guard !secret.isEmpty else { return false }
        var difference = given.count ^ secret.count
        for index in given.indices {
            difference |= Int(given[index] ^ secret[index % secret.count])
        }
        return difference == 0
    }
}
