package import GreenroomABI
import GreenroomPluginInterface
import GreenroomMedia
public import GreenroomPlugin

/// Offers a share of this process to a host that did not start it.
///
/// The host's session file says `share: { broadcast: PATH }`. The share is an ordinary `ShareSource` or
/// `Screen`, its sound a `ShareAudioSource` or `ScreenAudio`. The host drives them as if it had loaded
/// them.
public enum Broadcast {
    /// Connects to a host and serves it until the share ends, on the calling thread.
    ///
    /// The plugins' settings have their defaults. Call `PluginHost.finish(_:)` to end the share from
    /// this side. The program decides when to try again.
    ///
    /// - Parameters:
    ///   - path: The socket, as the host's session file names it; at most 107 bytes.
    ///   - plugins: A share, its sound, or both. Every call in a process has to pass the same.
    /// - Throws: ``BroadcastError``, whose status says whether to try again.
    public static func run(to path: String, _ plugins: any Plugin.Type...) throws(BroadcastError) {
        guard let entry = exportPlugins(plugins) else {
            throw BroadcastError(
                .badArgument,
                "a process has one list of plugins, and another list was offered before")
        }
        try run(to: path, entry: entry.assumingMemoryBound(to: gr_entry.self))
    }

    /// The same for the plugins of an entry, which must not change while the process lives.
    package static func run(
        to path: String, entry: UnsafePointer<gr_entry>?
    ) throws(BroadcastError) {
        let library: PluginLibrary
        do throws(LoadError) {
            library = try PluginLibrary(entry: entry, path: "the entry")
        } catch {
            throw BroadcastError(.badArgument, "\(error)")
        }
        let kinds = library.descriptors.map(\.kind)
        let (shares, sounds) = (
            kinds.count { $0 == .shareSource }, kinds.count { $0 == .shareAudioSource }
        )
        guard shares <= 1, sounds <= 1, shares + sounds == kinds.count, shares + sounds > 0 else {
            let found = kinds.map(\.name).joined(separator: ", ")
            throw BroadcastError(
                .badArgument,
                "a broadcast is one share source, one share audio source, or one of each, and "
                    + "this entry has: \(found)")
        }
        guard shares == 1 else {
            return try BroadcastLink(to: path, library, .shareAudioSource).run()
        }
        let share = try BroadcastLink(to: path, library, .shareSource)
        let sound = sounds == 1 ? ShareAudioLink(to: path, library) : nil
        defer { sound?.finish() }
        try share.run()
    }
}

/// The sound of a share. If the host refuses it, the share goes on without.
private struct ShareAudioLink {
    private let link: BroadcastLink
    private let thread: PluginThread

    init?(to path: String, _ library: PluginLibrary) {
        guard let link = try? BroadcastLink(to: path, library, .shareAudioSource),
            let thread = try? PluginThread(name: "share audio", body: { try? link.run() })
        else { return nil }
        self.link = link
        self.thread = thread
    }

    /// Ends it, and waits for the end.
    func finish() {
        link.finish()
        thread.join()
    }
}
