package import GreenroomNegotiation
package import GreenroomVideo
package import GreenroomModel
package import GreenroomSchema

/// Where a session's media go: what an output wants of the tracks, and how it is opened.
///
/// A value of this type is a description; nothing is open before ``open(in:)``. A new output is a
/// file with such a type and, if session files can name it, a line in ``OutputForm/builtIn``.
package protocol Output: Sendable {
    /// How the output wants a track's picture; nil if it has no use for it.
    ///
    /// Asked before the output is open: wants enter the first offer to a plugin.
    func want(of track: VideoTrackKind) -> VideoSinkWant?

    /// Opens the output for the tracks that there are, and connects its sinks to them.
    /// [the session's thread]
    func open(in session: inout OutputBuilder) throws(OutputError)

    /// Whether it makes files. Outputs that do are opened last and finished first: where another
    /// can't be opened, no file stays behind.
    var makesFiles: Bool { get }

    /// Whether standard output is its own.
    var usesStandardOutput: Bool { get }

    /// What `greenroom check` says of it; nil for an output that no session file has.
    var summary: (name: String, text: String)? { get }

    /// What it has made, for the end of a session; nil if that shows elsewhere.
    var product: String? { get }

    /// What is wrong with it beside the rest of its session file, a sentence each.
    ///
    /// - Parameters:
    ///   - earlier: The outputs before it in the file.
    ///   - tracks: What the file has sources for.
    func conflicts(with earlier: [any Output], in tracks: TracksInFile) -> [String]
}

extension Output {
    package func want(of track: VideoTrackKind) -> VideoSinkWant? { nil }
    package var makesFiles: Bool { false }
    package var usesStandardOutput: Bool { false }
    package var summary: (name: String, text: String)? { nil }
    package var product: String? { nil }
    package func conflicts(with earlier: [any Output], in tracks: TracksInFile) -> [String] { [] }
}

/// What a session file has sources for.
package struct TracksInFile: Sendable {
    /// Tracks with a picture.
    package var video: Set<VideoTrackKind>
    /// Whether there is any sound.
    package var hasAudio: Bool

    /// Says what there is.
    package init(video: Set<VideoTrackKind>, hasAudio: Bool) {
        self.video = video
        self.hasAudio = hasAudio
    }
}

/// An output as session files have it: its key, and what stands under that.
package struct OutputForm: Sendable {
    /// Its key in an entry of `outputs`.
    package var key: String
    /// What it does, a sentence.
    package var summary: String
    /// Values to show.
    package var examples: [JSON]
    /// Reads what stands under the key.
    package var decoder: Decoder<any Output>
    /// The list of the report that its sinks fill; it is there even if it is empty.
    package var reportKey: String?

    init(
        key: String, _ summary: String, examples: [JSON], reportKey: String? = nil,
        decoder: Decoder<some Output>
    ) {
        self.key = key
        self.summary = summary
        self.examples = examples
        self.reportKey = reportKey
        self.decoder = decoder.map { output, _ in output }
    }

    /// The outputs that session files can name, in the order in which people read of them.
    package static let builtIn = [Recording.form, LoudspeakerOutput.form, Y4MOutput.form]
}
