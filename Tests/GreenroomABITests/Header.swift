import GreenroomABI
import TestSupport

/// The text of the headers, for tests that the compiler can't do.
struct Header {
    let text: String

    init() throws {
        text = try ["plugin", "broadcast", "client", "output", "call", "control", "connections"].map
        { name in
            String(
                decoding: try readFile(Checkout.include + "/greenroom/\(name).h"), as: UTF8.self)
        }.joined()
    }

    /// The enumerators with a prefix, without it: `["OK": 0, "NOT_STARTED": 1, …]`.
    func enumerators(_ prefix: String) -> [String: Int] {
        let pairs = text.matches(of: #/\b(GR_[A-Z0-9_]+) = ([0-9]+)/#).compactMap { match in
            match.1.hasPrefix(prefix)
                ? Int(match.2).map { (String(match.1.dropFirst(prefix.count)), $0) } : nil
        }
        return Dictionary(pairs) { first, second in first == second ? first : -1 }
    }

    /// The names of its structs.
    var structs: Set<String> {
        Set(text.matches(of: #/\n} (gr_[a-z_]+);/#).map { String($0.1) })
    }
}
