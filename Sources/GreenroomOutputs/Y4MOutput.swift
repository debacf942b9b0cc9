import GreenroomLifecycle
public import GreenroomNegotiation
package import GreenroomVideo
import GreenroomFiles
import GreenroomMedia
public import GreenroomModel
import GreenroomSchema

/// `y4m`: video as Y4M on standard output, for pipes.
package struct Y4MOutput: HostOutput, Equatable {
    /// The track.
    package var track: VideoTrackKind
    /// The want for video.
    package var video: VideoSinkWant

    /// Describes the output.
    package init(track: VideoTrackKind = .camera, video: VideoSinkWant = VideoSinkWant()) {
        self.track = track
        self.video = video
    }

    package var usesStandardOutput: Bool { true }

    package func want(of track: VideoTrackKind) -> VideoSinkWant? {
        track == self.track ? video : nil
    }

    package func open(in session: inout OutputBuilder) throws(OutputError) {
        guard let agreed = session.capability(of: track) else {
            throw OutputError(
                place: "y4m: -", explanation: "the session has no \(track.rawValue) to write.")
        }
        let capability = VideoCapability(
            size: video.size ?? agreed.size,
            // A slower rate would freeze the output in gaps of a source such as a share.
            rate: video.rate ?? max(agreed.rate, OutputBuilder.slowestLive))
        session.connect(
            try Y4MRecording(standardOutput: Y4MFormat(capability, video)), to: track,
            name: "y4m on standard output", want: video, capability: capability)
    }

    package var summary: (name: String, text: String)? {
        ("y4m", "\(track.rawValue) on standard output\(video.differences)")
    }

    package func conflicts(with earlier: ArraySlice<any HostOutput>, in tracks: TracksInFile)
        -> [String]
    {
        var conflicts: [String] = []
        if earlier.contains(where: \.usesStandardOutput) {
            conflicts.append(
                "an earlier output already writes to standard output. Keep one.")
        }
        if !tracks.video.contains(track) {
            conflicts.append(
                "the session has no \(track.rawValue). Add one, or choose another track.")
        }
        return conflicts
    }
}

extension SessionOutput {
    /// Writes a track's video as Y4M to standard output.
    ///
    /// - Parameters:
    ///   - track: The video track.
    ///   - video: The want for the video.
    public static func y4m(
        track: VideoTrackKind = .camera, video: VideoSinkWant = VideoSinkWant()
    ) -> SessionOutput {
        SessionOutput(Y4MOutput(track: track, video: video))
    }
}

extension Y4MOutput {
    /// The targets of Y4M.
    private enum Target: String, CaseIterable, Sendable {
        case standardOutput = "-"
    }

    private struct Draft: WithVideoWant {
        var target = Target.standardOutput
        var track = VideoTrackKind.camera
        var video = VideoSinkWant()
    }

    static let form = OutputForm(
        key: "y4m", "Writes a track's video as Y4M to standard output, for pipes.",
        examples: ["-", ["track": "share", "fps": 15]],
        decoder: Decoder<Y4MOutput>.section(
            Draft(), name: "y4m", "Writes video as Y4M to standard output.",
            expectation: "\"-\", or a section with keys such as track", shortKey: "to",
            fields: [
                Field(
                    "to", \.target, .choice { _ in "Standard output." }, "The target.",
                    examples: ["-"], defaultValue: "-"),
                Field(
                    "track", \.track, .videoTrack,
                    "The video track: the camera after its filters, the share, or the stage.",
                    examples: ["share", "stage", "camera.desk"],
                    defaultValue: .string(VideoTrackKind.camera.rawValue)),
            ] + Draft.videoFields
        ) { draft, _ in Y4MOutput(track: draft.track, video: draft.video) })
}

extension Decoder<VideoTrackKind> {
    /// Decodes the name of a video track: `camera`, `share`, `stage`, or a named track such as
    /// `camera.desk`.
    static let videoTrack: Decoder = {
        let words = VideoTrackKind.allCases.map(\.rawValue)
        return Decoder.pattern(
            "(\(words.joined(separator: "|")))(\\.\(String.roleNamePattern))?",
            "one of \(words.joined(separator: ", ")), or one with a name such as camera.desk"
        ) { VideoTrackKind(rawValue: $0) }
    }()
}
