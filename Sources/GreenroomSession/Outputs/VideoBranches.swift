import GreenroomConversion
import GreenroomMedia
import GreenroomModel
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomVideo

/// The branches of a video track that is about to start; equal wants share a group.
struct VideoBranches {
    private var entries: [(want: VideoSinkWant, branch: VideoBranch, sizing: OutputSizing)] = []

    /// Adds a branch with its own queue and thread.
    ///
    /// - Parameters:
    ///   - name: The sink's name in messages and in the report.
    ///   - want: The want for the track.
    ///   - format: The sink's pixel format, with the want's colour at its size.
    ///   - capability: The sink's size and rate.
    ///   - endSlot: The number of frames, if it is known.
    ///   - isShare: Whether the track is a share, whose shape a sink may follow.
    mutating func connect(
        _ sink: any VideoSink, name: String, want: VideoSinkWant, format: PixelFormat,
        capability: VideoCapability, endSlot: Int64?, isShare: Bool, clock: SessionClock
    ) {
        let color = want.color(at: capability.size)
        let branch = VideoBranch(
            name: name, capability: capability,
            want: VideoWant(
                format: format, size: capability.size, range: color.range, matrix: color.matrix,
                fit: want.fit),
            endSlot: endSlot, sink: sink, clock: clock)
        let sizing: OutputSizing =
            if want.size != nil || want.fit != .letterbox {
                .asAsked
            } else {
                isShare && sink.takesOtherSizes ? .follows : .keepsFirst
            }
        entries.append((want, branch, sizing))
    }

    /// The branches; equal wants share a group.
    var groups: [VideoTrack.Group] {
        var groups: [VideoTrack.Group] = []
        for entry in entries {
            if let index = groups.firstIndex(where: {
                $0.want == entry.branch.want && $0.sizing == entry.sizing
            }) {
                groups[index].branches.append(entry.branch)
            } else {
                groups.append(
                    VideoTrack.Group(
                        want: entry.branch.want, branches: [entry.branch], sizing: entry.sizing))
            }
        }
        return groups
    }

    /// The want of each branch.
    var wants: [(branch: VideoBranch, want: VideoSinkWant)] {
        entries.map { ($0.branch, $0.want) }
    }
}
