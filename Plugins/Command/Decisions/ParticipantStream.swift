package import GreenroomPlugin
import GreenroomSchema

/// The tracks of all participants as one stream of bytes.
///
/// Each record is a line of JSON, followed by as many bytes of media as its member `bytes` says. The
/// first line has the version. Readers ignore records and members that they don't know.
package struct ParticipantStream {
    /// It increases when a record or a member is removed or changes its meaning.
    package static let version: Int64 = 1

    /// The session time of the stream's start, in nanoseconds.
    private let start: Int64

    /// - Parameter start: The time from which records count, in nanoseconds on the session clock.
    package init(from start: Int64) { self.start = start }

    /// The first line.
    package var header: [UInt8] {
        line([("record", "greenroom-participants"), ("version", .integer(Self.version))])
    }

    /// A track was opened.
    ///
    /// - Parameter format: The format of audio; nil for video.
    package func opened(_ track: Track, _ format: AudioFormat?) -> [UInt8] {
        line([
            ("record", "track"), ("track", .integer(Int64(track.id))),
            ("participant", .string(track.participant?.name ?? "")),
            ("kind", .string(track.kind.word)),
            ("rate", format.map { .integer(Int64($0.sampleRate)) }),
            ("channels", format.map { .integer(Int64($0.channels)) }),
            ("width", track.capability.map { .integer(Int64($0.size.width)) }),
            ("height", track.capability.map { .integer(Int64($0.size.height)) }),
        ])
    }

    /// A track has ended.
    package func ended(_ track: Track) -> [UInt8] {
        line([("record", "end"), ("track", .integer(Int64(track.id)))])
    }

    /// Media follows.
    ///
    /// - Parameters:
    ///   - time: The time of the first sample, or of the frame, in nanoseconds on the session clock.
    ///   - bytes: The length of the media.
    package func media(of track: Track, at time: Int64, bytes: Int) -> [UInt8] {
        let milliseconds = Double((time &- start) / 1_000_000)
        return line([
            ("record", track.kind.isVideo ? "video" : "audio"),
            ("track", .integer(Int64(track.id))), ("time", .number(milliseconds / 1000)),
            ("bytes", .integer(Int64(bytes))),
        ])
    }

    private func line(_ members: [(String, JSON?)]) -> [UInt8] {
        Array((JSON.members(members).line + "\n").utf8)
    }
}
