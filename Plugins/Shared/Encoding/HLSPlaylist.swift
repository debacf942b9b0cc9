/// A playlist of HLS whose target duration is not shorter than before, and whose discontinuities keep their numbers
/// (RFC 8216, 6.2.2).
package struct HLSPlaylist: Equatable {
    package let text: String
    /// The target duration.
    package let seconds: Int
    /// The number of discontinuities that have left the playlist with their segments.
    package let removedSeams: Int
    /// The number after its last segment, below `2^30`: FFmpeg has 32 bits for it.
    fileprivate let nextNumber: Int
    /// Whether a muxer can continue the text: it is neither damaged nor cut off.
    fileprivate let isWhole: Bool
    fileprivate let segments: Set<String>
    /// The segments that begin with a discontinuity.
    fileprivate let seams: Set<String>

    private static let beginning = "#EXTM3U"
    private static let duration = "#EXT-X-TARGETDURATION:"
    private static let sequence = "#EXT-X-MEDIA-SEQUENCE:"
    private static let seam = "#EXT-X-DISCONTINUITY"
    private static let seamSequence = "#EXT-X-DISCONTINUITY-SEQUENCE:"
    private static let end = "#EXT-X-ENDLIST"
    fileprivate static let numbers = 0..<(1 << 30)

    /// - Parameters:
    ///   - text: The playlist as the muxer wrote it.
    ///   - previous: The playlist before; nil if none.
    ///   - least: The shortest target duration.
    package init(_ text: String, after previous: HLSPlaylist? = nil, atLeast least: Int) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func number(after tag: String) -> Int? {
            lines.first { $0.hasPrefix(tag) }.flatMap { Int($0.dropFirst(tag.count)) }
        }
        let stated = number(after: Self.duration).flatMap { Self.numbers.contains($0) ? $0 : nil }
        seconds = max(stated ?? 0, least, previous?.seconds ?? 0)
        let first = number(after: Self.sequence).flatMap { Self.numbers.contains($0) ? $0 : nil }
        let statedSeams = min(
            max(number(after: Self.seamSequence) ?? 0, 0), Self.numbers.upperBound)
        let last = lines.last { !$0.isEmpty } ?? ""
        isWhole =
            lines.first == Self.beginning && lines.last == "" && first != nil && stated != nil
            && (last == Self.end || !last.hasPrefix("#"))
        lines.removeAll { $0.hasPrefix(Self.seamSequence) }
        if let index = lines.firstIndex(where: { $0.hasPrefix(Self.duration) }) {
            lines[index] = Self.duration + String(seconds)
        }
        var (segments, seams): (Set<String>, Set<String>) = ([], [])
        var kept: [String] = []
        var seamIndex: Int?
        for line in lines {
            if line == Self.seam { seamIndex = kept.count }
            kept.append(line)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            segments.insert(line)
            if let index = seamIndex {
                // After a restart, the muxer reads the list, and mistakes the number of discontinuities for a discontinuity.
                if let previous, previous.segments.contains(line), !previous.seams.contains(line) {
                    kept.remove(at: index)
                } else {
                    seams.insert(line)
                }
            }
            seamIndex = nil
        }
        nextNumber = min((first ?? 0) + segments.count, Self.numbers.upperBound - 1)
        removedSeams =
            previous.map { $0.removedSeams + $0.seams.subtracting(segments).count } ?? statedSeams
        if removedSeams > 0, let index = kept.firstIndex(where: { $0.hasPrefix(Self.sequence) }) {
            kept.insert(Self.seamSequence + String(removedSeams), at: index + 1)
        }
        self.text = kept.joined(separator: "\n")
        (self.segments, self.seams) = (segments, seams)
    }

    /// A playlist without segments.
    fileprivate static func empty(number: Int, seconds: Int, removedSeams: Int) -> String {
        """
        \(beginning)
        #EXT-X-VERSION:6
        \(duration)\(seconds)
        \(sequence)\(number)
        \(seamSequence)\(removedSeams)

        """
    }
}

/// The continuation of a stream in a folder of HLS after a restart: with the next number, and with the target duration that
/// players know.
package struct HLSRestart: Equatable {
    /// The longest segment.
    package let seconds: Int
    /// A playlist without segments, if the old playlist is missing, damaged or cut off; nil if it continues.
    package let replacement: String?
    /// The segments that no playlist names.
    package let orphans: [String]

    /// - Parameters:
    ///   - names: The files of the folder.
    ///   - playlist: The name of the playlist.
    ///   - text: Its content; empty if there is none.
    ///   - seconds: The wanted length of a segment.
    package init(among names: [String], playlist: String, _ text: String, seconds: Int) {
        let base = Self.base(of: playlist)
        /// The number of a file of the muxer.
        func digits(_ name: String, _ ending: String) -> Substring? {
            guard name.hasPrefix(base), name.hasSuffix(ending) else { return nil }
            let digits = name.dropFirst(base.count).dropLast(ending.count)
            return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber } ? digits : nil
        }
        let found = names.compactMap { digits($0, ".ts").flatMap { Int($0) } }
            .filter(HLSPlaylist.numbers.contains)
        let old = HLSPlaylist(text, atLeast: 0)
        let next = max(old.nextNumber, found.max().map { $0 + 1 } ?? 0)
        // The newest segment may be complete, but not in the list yet. The muxer deletes what it lists, so a list with
        // other files does not continue.
        let continues =
            old.isWhole && next <= old.nextNumber + 1
            && old.segments.allSatisfy { digits($0, ".ts") != nil }
        let target = old.seconds > 0 ? old.seconds : seconds
        self.seconds = min(seconds, target)
        let isNew = text.isEmpty && next == 0
        replacement =
            continues || isNew
            ? nil
            : HLSPlaylist.empty(
                number: min(next, HLSPlaylist.numbers.upperBound - 1), seconds: target,
                removedSeams: old.removedSeams + old.seams.count)
        let listed = continues ? old.segments : []
        // Without a playlist, the files may belong to somebody else.
        orphans =
            text.isEmpty
            ? []
            : names.filter { name in
                (digits(name, ".ts") ?? digits(name, ".ts.tmp")) != nil && !listed.contains(name)
            }
    }

    /// The beginning of the segments' names, before a number. Without the dash, the segment 0 of `live2.m3u8` and the
    /// segment 20 of `live.m3u8` would have the same name.
    package static func base(of playlist: String) -> String {
        (playlist.hasSuffix(".m3u8") ? String(playlist.dropLast(5)) : playlist) + "-"
    }
}
