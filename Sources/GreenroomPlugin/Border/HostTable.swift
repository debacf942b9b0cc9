internal import GreenroomABI
internal import GreenroomMedia

/// The host's functions, bound to an instance.
///
/// Safe to share: nothing changes after `init`, and the contract lets every function that is
/// used here be called from any thread for as long as the process lives.
final class HostTable: @unchecked Sendable {
    private let functions: gr_host
    let instance: gr_instance

    /// Nil unless the table has every function of major 1.
    init?(_ host: UnsafePointer<gr_host>, instance: gr_instance) {
        guard host.pointee.struct_size >= MemoryLayout<gr_host>.size else { return nil }
        functions = host.pointee
        self.instance = instance
    }

    func log(_ level: UInt32, _ text: String) { functions.log(instance, level, text) }

    func setError(_ text: String) { functions.set_error(instance, text) }

    func giveUp(_ status: gr_status, _ text: String) { functions.give_up(instance, status, text) }

    func now() -> Int64 { functions.now_ns(instance) }

    func wait(until nanoseconds: Int64) -> gr_status {
        functions.wait_until_ns(instance, nanoseconds)
    }

    /// The functions of a share to report its state; nil for other kinds, and on hosts without
    /// them.
    private var broadcast: gr_broadcast? {
        guard let table = functions.get_extension(instance, GR_EXT_BROADCAST),
            table.load(as: UInt32.self) >= UInt32(MemoryLayout<gr_broadcast>.size)
        else { return nil }
        return table.load(as: gr_broadcast.self)
    }

    func pauseShare() -> gr_status {
        broadcast?.paused(instance) ?? Status.unsupported.rawValue
    }

    func resumeShare() -> gr_status {
        broadcast?.resumed(instance) ?? Status.unsupported.rawValue
    }

    /// The functions of a source without new media; nil for other kinds, and on hosts before minor 3.
    private var holding: gr_hold? {
        guard let table = functions.get_extension(instance, GR_EXT_HOLD),
            table.load(as: UInt32.self) >= UInt32(MemoryLayout<gr_hold>.size)
        else { return nil }
        return table.load(as: gr_hold.self)
    }

    func hold(_ isHeld: Bool) -> gr_status {
        holding?.held(instance, isHeld ? 1 : 0) ?? Status.unsupported.rawValue
    }

    func countDamaged(_ count: UInt32) -> gr_status {
        holding?.damaged(instance, count) ?? Status.unsupported.rawValue
    }

    /// The functions for the queue of a sender of audio; nil for other kinds, and on hosts before minor 3.
    var audioQueue: gr_audio_queue? {
        guard let table = functions.get_extension(instance, GR_EXT_AUDIO_QUEUE),
            table.load(as: UInt32.self) >= UInt32(MemoryLayout<gr_audio_queue>.size)
        else { return nil }
        return table.load(as: gr_audio_queue.self)
    }

    /// The functions of an output; nil for other kinds.
    var output: gr_output_host? {
        guard let table = functions.get_extension(instance, GR_EXT_OUTPUT_HOST),
            table.load(as: UInt32.self) >= UInt32(MemoryLayout<gr_output_host>.size)
        else { return nil }
        return table.load(as: gr_output_host.self)
    }

    func finish(file path: String) -> gr_status {
        guard let table = functions.get_extension(instance, GR_EXT_FILES_HOST),
            table.load(as: UInt32.self) >= UInt32(MemoryLayout<gr_files_host>.size)
        else { return Status.unsupported.rawValue }
        return table.load(as: gr_files_host.self).finished(instance, path)
    }

    /// The functions for recordings of a call; nil for other kinds, and on hosts before minor 3.
    var recording: gr_recording_host? {
        guard let table = functions.get_extension(instance, GR_EXT_RECORDING_HOST),
            table.load(as: UInt32.self) >= UInt32(MemoryLayout<gr_recording_host>.size)
        else { return nil }
        return table.load(as: gr_recording_host.self)
    }

    func add(
        caption text: String, speaker: String?, from start: Int64, to end: Int64
    ) -> gr_status {
        guard let table = functions.get_extension(instance, GR_EXT_CAPTIONS_HOST),
            table.load(as: UInt32.self) >= UInt32(MemoryLayout<gr_captions_host>.size)
        else { return Status.unsupported.rawValue }
        let host = table.load(as: gr_captions_host.self)
        func add(_ speaker: UnsafePointer<CChar>?) -> gr_status {
            text.withCString { text in
                var caption = gr_caption(
                    struct_size: UInt32(MemoryLayout<gr_caption>.size), reserved: 0,
                    speaker: speaker, text: text, start_ns: start, end_ns: end)
                return host.add(instance, &caption)
            }
        }
        return speaker?.withCString(add) ?? add(nil)
    }

    /// The functions of a call; nil for other kinds.
    var call: gr_call_host? {
        guard let table = functions.get_extension(instance, GR_EXT_CALL_HOST),
            table.load(as: UInt32.self) >= UInt32(MemoryLayout<gr_call_host>.size)
        else { return nil }
        return table.load(as: gr_call_host.self)
    }

    /// The same; throws for other kinds.
    func callFunctions() throws(SendRefusal) -> gr_call_host {
        guard let call else {
            throw SendRefusal(
                status: .unsupported, text: "not a call, or the host supports no calls")
        }
        return call
    }

    /// The functions to control the session; nil without the grant.
    var control: gr_control_host? {
        guard let table = functions.get_extension(instance, GR_EXT_CONTROL_HOST),
            table.load(as: UInt32.self) >= UInt32(MemoryLayout<gr_control_host>.size)
        else { return nil }
        return table.load(as: gr_control_host.self)
    }

    /// The functions that open connections; nil for a host without them.
    var connections: gr_connections? {
        guard let table = functions.get_extension(instance, GR_EXT_CONNECTIONS),
            table.load(as: UInt32.self) >= UInt32(MemoryLayout<gr_connections>.size)
        else { return nil }
        return table.load(as: gr_connections.self)
    }

    func report(_ name: String, _ value: Double) -> gr_status {
        output?.report(instance, name, value) ?? Status.unsupported.rawValue
    }

    func setCeiling(
        of track: UInt32, to ceiling: VideoCapability?, because reason: String
    ) -> gr_status {
        guard let output else { return Status.unsupported.rawValue }
        guard let ceiling else { return output.set_ceiling(instance, track, nil, reason) }
        var capability = gr_capability(ceiling)
        return output.set_ceiling(instance, track, &capability, reason)
    }

    func wantsChanged() -> gr_status {
        output?.wants_changed(instance) ?? Status.unsupported.rawValue
    }

    func setState(_ state: UInt32, _ text: String?) -> gr_status {
        output?.state(instance, state, text) ?? Status.unsupported.rawValue
    }

    /// Throws the refusal that a status is, with the host's words for it; call it on the thread
    /// that was refused.
    func check(_ status: gr_status) throws(SendRefusal) {
        guard status != Status.ok.rawValue else { return }
        throw SendRefusal(status: Status(rawValue: status), text: refusalText())
    }

    private func refusalText() -> String {
        let likely = 512
        let (text, length) = refusalText(capacity: likely)
        guard length >= likely, length < 1 << 16 else { return text }
        return refusalText(capacity: length + 1).text
    }

    private func refusalText(capacity: Int) -> (text: String, length: Int) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            let length = functions.refusal_text(buffer.baseAddress, UInt64(capacity))
            let bytes = UnsafeRawBufferPointer(buffer).prefix(Int(clamping: length))
            return (
                String(decoding: bytes.prefix(capacity - 1), as: UTF8.self), Int(clamping: length)
            )
        }
    }
}
