/// The colour of a person's tile without video: the same for the same name, on the stage and on the page.
package struct PersonColor: Equatable, Sendable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8

    /// Dark enough for white letters: each has a contrast of at least 4.5 to white.
    package static let all = [
        PersonColor(0x2f6d53), PersonColor(0x7a4a21), PersonColor(0x3d5a98), PersonColor(0x8a3b5c),
        PersonColor(0x5b4a9c), PersonColor(0x1f6a78), PersonColor(0x6b6a1e), PersonColor(0x8c3a32),
    ]

    private init(_ rgb: UInt32) {
        (red, green, blue) = (
            UInt8(truncatingIfNeeded: rgb >> 16), UInt8(truncatingIfNeeded: rgb >> 8),
            UInt8(truncatingIfNeeded: rgb)
        )
    }

    /// The colour of a name: a hash (FNV-1a) chooses it.
    package init(of name: String) {
        let hash = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        self = Self.all[Int(hash >> 8) % Self.all.count]
    }

    /// As in CSS, for example `#2f6d53`.
    package var hex: String {
        "#" + [red, green, blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
