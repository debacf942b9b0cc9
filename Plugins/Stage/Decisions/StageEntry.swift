package import GreenroomMedia

/// The subject of a tile: one of the session's own videos, a participant, or a participant's share.
package enum StageSource: Hashable, Sendable {
    /// A camera or a share of the session, by its track's number.
    case own(UInt32)
    /// A participant, with or without a camera, by their number.
    case person(UInt32)
    /// The share of a participant.
    case share(UInt32)
}

/// Something that a layout may give a tile.
package struct StageEntry: Equatable, Sendable {
    package var source: StageSource
    /// Its name in settings: `camera`, `share.room`, or a participant's name.
    package var reference: String
    /// The text on its tile; empty for none.
    package var label: String
    /// Whether it is a screen, which is shown whole.
    package var isShare: Bool
    /// The size of its video; nil if unknown.
    package var size: FrameSize?

    package init(
        _ source: StageSource, reference: String, label: String, isShare: Bool = false,
        size: FrameSize? = nil
    ) {
        self.source = source
        self.reference = reference
        self.label = label
        self.isShare = isShare
        self.size = size
    }

    /// Two letters for a tile without video: the first letters of the first and the last word of a name, or the first
    /// two of a single word.
    package static func initials(of name: String) -> String {
        let words = name.split { !$0.isLetter && !$0.isNumber }
        guard words.count > 1 else { return words.first?.prefix(2).uppercased() ?? "" }
        return [words[0], words[words.count - 1]].map { $0.prefix(1).uppercased() }.joined()
    }
}

/// Describes how video fills a tile of another shape.
package enum StageFit: String, CaseIterable, Sendable {
    /// Its middle fills the tile.
    case crop
    /// It is whole, with bars.
    case letterbox
    /// It is whole and distorted.
    case stretch
}

/// A place in the picture, and what is there. Later tiles cover earlier ones.
package struct StageTile: Equatable, Sendable {
    package var source: StageSource
    package var rect: StageRect
    package var fit: StageFit

    package init(_ source: StageSource, _ rect: StageRect, fit: StageFit) {
        self.source = source
        self.rect = rect
        self.fit = fit
    }
}
