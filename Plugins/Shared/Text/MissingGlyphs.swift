/// Characters that no installed font has.
package struct MissingGlyphs {
    /// The Debian package that has the glyphs, and the first of the characters.
    package let packages: [(name: String, characters: [UInt32])]

    package init(_ characters: [UInt32]) {
        var packages: [(name: String, characters: [UInt32])] = []
        for character in characters {
            let name = Self.package(of: character)
            if let index = packages.firstIndex(where: { $0.name == name }) {
                guard packages[index].characters.count < 4,
                    !packages[index].characters.contains(character)
                else { continue }
                packages[index].characters.append(character)
            } else {
                packages.append((name, [character]))
            }
        }
        self.packages = packages
    }

    /// The lines of the log, with the packages that they name.
    package var messages: [(package: String, text: String)] {
        packages.map { package in
            let list = package.characters.map { "U+" + String($0, radix: 16, uppercase: true) }
            return (
                package.name,
                "no installed font has \(list.joined(separator: ", ")), so the text has boxes in "
                    + "their place. Install the fonts: apt install \(package.name)"
            )
        }
    }

    /// Ranges of Unicode by the package of their fonts; `fonts-noto-core` has the others.
    private static let table: [(package: String, ranges: [ClosedRange<UInt32>])] = [
        (
            "fonts-noto-cjk",
            [
                0x1100...0x11FF, 0x2E80...0x2FDF, 0x2FF0...0x31FF, 0x3200...0x4DBF,
                0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF, 0xF900...0xFAFF,
                0xFE30...0xFE4F, 0xFF00...0xFFEF, 0x1AFF0...0x1B16F, 0x1F200...0x1F2FF,
                0x20000...0x3FFFF,
            ]
        ),
        (
            "fonts-noto-color-emoji",
            [0x1F000...0x1F0FF, 0x1F1E6...0x1F1FF, 0x1F300...0x1FAFF, 0x1F900...0x1F9FF]
        ),
    ]

    package static func package(of character: UInt32) -> String {
        table.first { $0.ranges.contains { $0.contains(character) } }?.package ?? "fonts-noto-core"
    }
}
