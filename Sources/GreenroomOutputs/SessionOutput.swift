public import GreenroomModel
import GreenroomLifecycle

/// An output of a session: ``record(folder:video:overwrite:)``, ``y4m(track:video:)``,
/// ``loudspeaker(device:)``.
public struct SessionOutput: Sendable {
    /// The state that an output plugin reports.
    public typealias State = OutputCondition

    /// The output's description.
    package var output: any HostOutput
    /// The output's path in the session file, e.g. `outputs[0]`; nil if a program added the output.
    package var origin: String?

    package init(_ output: any HostOutput, origin: String? = nil) {
        self.output = output
        self.origin = origin
    }
}
