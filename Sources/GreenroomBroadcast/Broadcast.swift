package import GreenroomABI
import GreenroomPluginInterface
import GreenroomMedia
public import GreenroomPlugin

/// Offers plugins of this process to a host that did not start it.
///
/// The host's session file names a socket for each plugin: `share: { connect: PATH }`. The plugins are
/// ordinary ones of any kind, such as a `ShareSource`, a `Camera` or a `Receiver`. The host drives them as
/// if it had loaded them.
public enum Broadcast {
    /// Connects to a host and serves it until the plugins end, on the calling thread.
    ///
    /// The plugins have their default settings. Call `PluginHost.finish(_:)` on one of them to end all from
    /// this side. Retrying is up to the program.
    ///
    /// - Parameters:
    ///   - path: The socket, as in the host's session file; at most 107 bytes.
    ///   - plugins: The plugins. Pass the same list in every call of a process.
    /// - Throws: ``BroadcastError``. Its status tells whether to retry.
    public static func run(to path: String, _ plugins: any Plugin.Type...) throws(BroadcastError) {
        guard let entry = exportPlugins(plugins) else {
            throw BroadcastError(
                .badArgument,
                "a process has one list of plugins, and this process offered another list before")
        }
        try run(to: path, entry: entry.assumingMemoryBound(to: gr_entry.self))
    }

    /// The same for the plugins of an entry, which must not change for the life of the process.
    package static func run(
        to path: String, entry: UnsafePointer<gr_entry>?
    ) throws(BroadcastError) {
        let library: PluginLibrary
        do throws(LoadError) {
            library = try PluginLibrary(entry: entry, path: "the entry")
        } catch {
            throw BroadcastError(.badArgument, "\(error)")
        }
        try ProgramLink(to: path, library).run()
    }
}
