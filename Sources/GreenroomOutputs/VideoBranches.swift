import GreenroomConversion
import GreenroomMedia
import GreenroomModel
package import GreenroomNegotiation
import GreenroomRuntime
package import GreenroomVideo

/// The branches of a video track that is about to start. Branches with equal wants share a group.
package struct VideoBranches {
    /// The branches, each with the want of a built-in output; nil if the branch belongs to a
    /// plugin, which reports its own want.
    private var entries: [(branch: VideoBranch, want: VideoSinkWant?)] = []

    /// Adds a branch with its own queue and thread.
    ///
    /// - Parameters:
    ///   - name: The sink's name in messages and in the report.
    ///   - want: The want for the track.
    ///   - format: The sink's pixel format, with the want's colour at its size.
    ///   - capability: The sink's size and rate.
    ///   - endSlot: The number of frames; nil if unknown.
    ///   - isShare: Whether the track is a share, whose shape a sink may follow.
    mutating func connect(
        _ sink: any VideoSink, name: String, want: VideoSinkWant, format: PixelFormat,
        capability: VideoCapability, endSlot: Int64?, isShare: Bool, clock: SessionClock
    ) {
        let color = want.color(at: capability.size)
        let sizing: OutputSizing =
            if !isShare || want.size != nil || want.fit != .letterbox {
                .asAsked
            } else {
                sink.takesOtherSizes ? .follows : .keepsFirst
            }
        let form = BranchForm(
            capability: capability,
            want: VideoWant(
                format: format, size: capability.size, range: color.range, matrix: color.matrix,
                fit: want.fit),
            sizing: sizing, endSlot: endSlot, sink: sink)
        let branch = VideoBranch(name: name, plugin: sink.plugin, form: form, clock: clock)
        entries.append((branch, want))
    }

    /// Adds the branch of a plugin. The branch may receive nothing yet.
    mutating func add(_ branch: VideoBranch) { entries.append((branch, nil)) }

    /// The groups of branches that receive frames. Branches with equal wants share a group.
    package var groups: [VideoTrack.Group] {
        var groups: [VideoTrack.Group] = []
        for entry in entries {
            guard let form = entry.branch.form else { continue }
            if let index = groups.firstIndex(where: {
                $0.want == form.want && $0.sizing == form.sizing
            }) {
                groups[index].branches.append(entry.branch)
            } else {
                groups.append(
                    VideoTrack.Group(
                        want: form.want, branches: [entry.branch], sizing: form.sizing))
            }
        }
        return groups
    }

    /// The branches that receive nothing yet.
    package var idle: [VideoBranch] { entries.map(\.branch).filter { $0.form == nil } }

    /// The wants of built-in outputs.
    package var wants: [(branch: VideoBranch, want: VideoSinkWant)] {
        entries.compactMap { entry in entry.want.map { (entry.branch, $0) } }
    }
}
