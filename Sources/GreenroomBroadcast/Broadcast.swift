package import GreenroomABI
import GreenroomPluginInterface
import GreenroomMedia
public import GreenroomPlugin

/// Offers a share of this process to a host that did not start it.
///
/// The host's session file says `share: { broadcast: PATH }`. The share is an ordinary `ShareSource` or
/// `Screen`, its audio a `ShareAudioSource` or `ScreenAudio`. The host drives them as if it had loaded
/// them.
public enum Broadcast {
    /// Connects to a host and serves it until the share ends, on the calling thread.
    ///
    /// The plugins have their default settings. Call `PluginHost.finish(_:)` to end the share from
    /// this side. Retrying is up to the program.
    ///
    /// - Parameters:
    ///   - path: The socket, as in the host's session file; at most 107 bytes.
    ///   - plugins: A share, its audio, or both. Pass the same list in every call of a process.
    /// - Throws: ``BroadcastError``. Its status tells whether to retry.
    public static func run(to path: String, _ plugins: any Plugin.Type...) throws(BroadcastError) {
        guard let entry = exportPlugins(plugins) else {
            throw BroadcastError(
                .badArgument,
                "a process has one list of plugins, and another list was offered before")
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
        let kinds = library.descriptors.map(\.kind)
        let (shares, audios) = (
            kinds.count { $0 == .shareSource }, kinds.count { $0 == .shareAudioSource }
        )
        guard shares <= 1, audios <= 1, shares + audios == kinds.count, shares + audios > 0 else {
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
        let audio = audios == 1 ? ShareAudioLink(to: path, library) : nil
        defer { audio?.finish() }
        try share.run()
    }
}

/// The audio of a share. If the host refuses it, the share continues without it.
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

    /// Ends the audio, and waits for its end.
    func finish() {
        link.finish()
        thread.join()
    }
}
