package import GreenroomLifecycle
package import GreenroomNegotiation
package import GreenroomVideo
package import GreenroomModel
package import GreenroomSchema

/// An output of a session: what it wants of the tracks, and how to open it.
///
/// A value of this type is a description; nothing is open before ``open(in:)``. A new output is a
/// file with such a type and, if session files can name it, a line in ``OutputForm/builtIn``.
package protocol Output: Sendable {
    /// The output's want for a track's video; nil if it wants none.
    ///
    /// Called before the output is open, because wants enter the first offer to a plugin.
    func want(of track: VideoTrackKind) -> VideoSinkWant?

    /// The plugin that it is; nil for an output of the host's own.
    var plugin: PluginConfiguration? { get }

    /// The folder that the plugin may write to in a process of its own, besides what the session
    /// file grants.
    var writtenFolder: String? { get }

    /// Whether the plugin is a call.
    var isCall: Bool { get }

    /// The filters of participants' audio; empty if the output is not a call.
    var filters: [PluginConfiguration] { get }

    /// The tracks that the host offers to the plugin; nil for all.
    var selection: TrackSelection? { get }

    /// Opens the output for the session's tracks, and connects its sinks. The session connects a
    /// plugin itself, with what it wants. [the session's thread]
    func open(in session: inout OutputBuilder) throws(OutputError)

    /// Opens the output for a track of a participant, which begins now, and connects its sinks. [the
    /// session's thread]
    func open(
        _ track: ParticipantTrack, in outputs: inout ParticipantOutputs
    ) throws(OutputError)

    /// Whether it creates files. Such outputs are opened last and finished first: if another one
    /// fails to open, no file is left.
    var makesFiles: Bool { get }

    /// Whether it uses standard output.
    var usesStandardOutput: Bool { get }

    /// The output's line in `greenroom check`; nil if session files cannot contain the output.
    var summary: (name: String, text: String)? { get }

    /// The result, for the end of a session; nil if the user sees it otherwise.
    var product: String? { get }

    /// Whether the plugin has produced output.
    func hasMade(_ entry: OutputFeed.Entry) -> Bool

    /// Why it can't be opened, as far as the machine shows that now: the rule and the cure; nil if
    /// nothing is known against it. Changes nothing.
    ///
    /// - Parameter tracks: The tracks with sources.
    func obstacle(for tracks: TracksInFile) -> String?

    /// Which other users can change what it writes, and the cure; nil if none can.
    var concern: String? { get }

    /// The largest disk use; nil if the output writes no file, or if the use is unknown.
    func diskUse(of tracks: DiskUse.Tracks) -> DiskUse?

    /// Conflicts with the rest of the session file, one sentence each.
    ///
    /// - Parameters:
    ///   - earlier: The outputs before it in the file.
    ///   - tracks: The tracks with sources in the file.
    func conflicts(with earlier: ArraySlice<any Output>, in tracks: TracksInFile) -> [String]
}

extension Output {
    package func want(of track: VideoTrackKind) -> VideoSinkWant? { nil }
    package var plugin: PluginConfiguration? { nil }
    package var writtenFolder: String? { nil }
    package var isCall: Bool { false }
    package var filters: [PluginConfiguration] { [] }
    package var selection: TrackSelection? { nil }
    package func open(
        _ track: ParticipantTrack, in outputs: inout ParticipantOutputs
    ) throws(OutputError) {}
    package var makesFiles: Bool { false }
    package var usesStandardOutput: Bool { false }
    package var summary: (name: String, text: String)? { nil }
    package var product: String? { nil }
    package func hasMade(_ entry: OutputFeed.Entry) -> Bool { entry.hasTaken }
    package func obstacle(for tracks: TracksInFile) -> String? { nil }
    package var concern: String? { nil }
    package func diskUse(of tracks: DiskUse.Tracks) -> DiskUse? { nil }
    package func conflicts(with earlier: ArraySlice<any Output>, in tracks: TracksInFile)
        -> [String]
    { [] }
}

/// The tracks with sources in a session file.
package struct TracksInFile: Sendable {
    /// Tracks with video.
    package var video: Set<VideoTrackKind>
    /// Tracks with audio.
    package var audio: Set<VideoTrackKind>
    /// Whether a call may bring participants.
    package var hasCall: Bool
    /// Whether there is audio.
    package var hasAudio: Bool { !audio.isEmpty }

    /// Says what there is.
    package init(video: Set<VideoTrackKind>, audio: Set<VideoTrackKind>, hasCall: Bool = false) {
        self.video = video
        self.audio = audio
        self.hasCall = hasCall
    }
}

/// An output in session files: its key, and its section.
package struct OutputForm: Sendable {
    /// Its key in an entry of `outputs`.
    package var key: String
    /// The purpose, as a sentence.
    package var summary: String
    /// Example values.
    package var examples: [JSON]
    /// Decodes its section.
    package var decoder: Decoder<any Output>
    /// The list in the report for its sinks; present even if empty.
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

    /// The outputs that session files can name, in the order of the documentation.
    package static let builtIn = [
        Recording.form, LoudspeakerOutput.form, StreamOutput.form, Y4MOutput.form,
    ]
}
