package import GreenroomLifecycle
package import GreenroomNegotiation
package import GreenroomVideo
package import GreenroomModel
package import GreenroomSchema

/// An output of a session: its wants for the tracks, and a function to open it.
///
/// A value of this type is a description; ``open(in:)`` opens the output. To add an output, write a
/// file with such a type and, if session files can name it, add a line to ``OutputForm/builtIn``.
package protocol HostOutput: Sendable {
    /// The output's want for a track's video; nil if the output does not use the track.
    ///
    /// The host calls this before it opens the output, because wants enter the first offer to a
    /// plugin.
    func want(of track: VideoTrackKind) -> VideoSinkWant?

    /// The output's plugin; nil if the host itself implements the output.
    var plugin: PluginConfiguration? { get }

    /// The folder that a plugin in its own process may write to, besides the session file's grants;
    /// nil if none.
    var writtenFolder: String? { get }

    /// Whether the plugin is a call.
    var isCall: Bool { get }

    /// The filters of participants' audio; empty if the output is not a call.
    var filters: [PluginConfiguration] { get }

    /// The tracks that the host offers to the plugin; nil if all.
    var selection: TrackSelection? { get }

    /// The names of the participants whom the output leaves out.
    var except: [String] { get }

    /// Opens the output for the session's tracks, and connects its sinks. The session itself
    /// connects a plugin, with the plugin's wants. [the session's thread]
    func open(in session: inout OutputBuilder) throws(OutputError)

    /// Opens the output for a participant's track that begins now, and connects its sinks. [the
    /// session's thread]
    func open(
        _ track: ParticipantTrack, in outputs: inout ParticipantOutputs
    ) throws(OutputError)

    /// Whether the output creates files. The session opens these outputs last and finishes them
    /// first: if another output fails to open, no file is left.
    var makesFiles: Bool { get }

    /// Whether the output uses standard output.
    var usesStandardOutput: Bool { get }

    /// The output's line in `greenroom check`; nil if session files cannot contain the output.
    var summary: (name: String, text: String)? { get }

    /// The result, printed at the end of a session; nil if the user sees the result otherwise.
    var product: String? { get }

    /// Whether the plugin has produced output.
    func hasMade(_ entry: OutputFeed.Entry) -> Bool

    /// The reason that the output cannot be opened on this machine now, with the rule and the fix;
    /// nil if none is known. Changes nothing.
    ///
    /// - Parameter tracks: The tracks with sources.
    func obstacle(for tracks: TracksInFile) -> String?

    /// The other users that can change the output's files, and the fix; nil if none can.
    var concern: String? { get }

    /// The largest disk use; nil if the output writes no file or the use is unknown.
    func diskUse(of tracks: DiskUse.Tracks) -> DiskUse?

    /// Conflicts with the rest of the session file, one sentence each.
    ///
    /// - Parameters:
    ///   - earlier: The outputs before this one in the file.
    ///   - tracks: The tracks with sources in the file.
    func conflicts(with earlier: ArraySlice<any HostOutput>, in tracks: TracksInFile) -> [String]
}

extension HostOutput {
    package func want(of track: VideoTrackKind) -> VideoSinkWant? { nil }
    package var plugin: PluginConfiguration? { nil }
    package var writtenFolder: String? { nil }
    package var isCall: Bool { false }
    package var filters: [PluginConfiguration] { [] }
    package var selection: TrackSelection? { nil }
    package var except: [String] { plugin?.except ?? [] }
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
    package func conflicts(with earlier: ArraySlice<any HostOutput>, in tracks: TracksInFile)
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

    /// Describes the tracks.
    package init(video: Set<VideoTrackKind>, audio: Set<VideoTrackKind>, hasCall: Bool = false) {
        self.video = video
        self.audio = audio
        self.hasCall = hasCall
    }
}

/// An output in session files: its key, and its section.
package struct OutputForm: Sendable {
    /// The output's key in an entry of `outputs`.
    package var key: String
    /// The purpose, as a sentence.
    package var summary: String
    /// Example values.
    package var examples: [JSON]
    /// Decodes the output's section.
    package var decoder: Decoder<any HostOutput>
    /// The name of the report's list of the output's sinks, present even if empty; nil if the
    /// report has none.
    package var reportKey: String?

    init(
        key: String, _ summary: String, examples: [JSON], reportKey: String? = nil,
        decoder: Decoder<some HostOutput>
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
