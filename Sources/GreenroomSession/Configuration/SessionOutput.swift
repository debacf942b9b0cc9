/// Where a session's media go: ``record(folder:video:overwrite:)``, ``y4m(track:video:)``,
/// ``loudspeaker(device:)``.
public struct SessionOutput: Sendable {
    /// What opens it.
    package var output: any Output
    /// The keys that lead to it in its session file, `outputs[0]`; nil for a program's.
    package var origin: String?

    package init(_ output: any Output, origin: String? = nil) {
        self.output = output
        self.origin = origin
    }
}
