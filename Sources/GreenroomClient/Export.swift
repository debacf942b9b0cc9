import Glibc
public import GreenroomABI
import GreenroomBroadcast
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRunner
import Synchronization

/// `greenroom_client_run`; see `greenroom/client.h`.
@c(greenroom_client_run)
public func clientRun(
    _ path: UnsafePointer<CChar>?, _ entry: UnsafePointer<gr_entry>?,
    _ text: UnsafeMutablePointer<CChar>?, _ capacity: UInt64
) -> gr_status {
    guard let path, let entry else {
        write("the path and the entry must not be NULL", to: text, capacity)
        return Status.badArgument.rawValue
    }
    do throws(BroadcastError) {
        try Broadcast.run(to: String(cString: path), entry: entry)
        write("every plugin has ended", to: text, capacity)
        return Status.ok.rawValue
    } catch {
        write(error.description, to: text, capacity)
        return error.status.rawValue
    }
}

/// `greenroom_client_finish`; see `greenroom/client.h`.
@c(greenroom_client_finish)
public func clientFinish() { ProgramLink.finish() }

/// `greenroom_client_keep_memory`; see `greenroom/client.h`.
@c(greenroom_client_keep_memory)
public func clientKeepMemory() { SharedMemory.staysMapped.store(true, ordering: .relaxed) }

/// `greenroom_client_serve`; see `greenroom/client.h`.
@c(greenroom_client_serve)
public func clientServe(
    _ load: gr_client_load?, _ context: UnsafeMutableRawPointer?,
    _ text: UnsafeMutablePointer<CChar>?, _ capacity: UInt64
) -> gr_status {
    guard let load else {
        write("load must not be NULL", to: text, capacity)
        return Status.badArgument.rawValue
    }
    let loader = Loader(load: load, context: context)
    var environment = Runner.Environment(
        confine: { _, _ in [] },
        load: { path throws(LoadError) in try loader.library(at: path) },
        end: { _exit(0) })
    // The validator's.
    if getenv("GREENROOM_PROBE") != nil { environment.makeProbe = { PluginProbe() } }
    do throws(ChannelError) {
        try Runner(continuing: environment).run()
        write("the host has ended the program", to: text, capacity)
        return Status.ok.rawValue
    } catch {
        write(
            "no host has started this program: greenroom starts it for a session",
            to: text, capacity)
        return Status.unavailable.rawValue
    }
}

/// The program's function that loads what a session file names.
///
/// Sendable because `greenroom/client.h` demands that the function may run on any thread, and the
/// context is only passed to it.
private struct Loader: @unchecked Sendable {
    let load: gr_client_load
    let context: UnsafeMutableRawPointer?

    /// The longest reason of a refusal, in bytes.
    private static let textBytes = 16384

    func library(at path: String) throws(LoadError) -> PluginLibrary {
        let (entry, reason) = withUnsafeTemporaryAllocation(
            of: CChar.self, capacity: Self.textBytes
        ) { buffer -> (UnsafePointer<gr_entry>?, String) in
            guard let base = buffer.baseAddress else { return (nil, "no memory") }
            base[0] = 0
            let entry = load(context, path, base, UInt64(Self.textBytes))
            return (entry, String(cString: base))
        }
        guard let entry else {
            throw LoadError(code: .crashes, place: path, explanation: reason)
        }
        return try PluginLibrary(entry: entry, path: path)
    }
}

/// Copies a text, truncated to fit, with a NUL.
private func write(
    _ text: String, to buffer: UnsafeMutablePointer<CChar>?, _ capacity: UInt64
) {
    guard let buffer, capacity > 0 else { return }
    var count = 0
    for byte in text.utf8.prefix(Int(clamping: capacity) - 1) {
        buffer[count] = CChar(bitPattern: byte)
        count += 1
    }
    buffer[count] = 0
}
