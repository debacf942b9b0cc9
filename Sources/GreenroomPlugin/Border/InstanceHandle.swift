internal import GreenroomABI
internal import GreenroomMedia
internal import Glibc

/// An instance as the host holds it: the C table of callbacks, whose `self` is this object.
///
/// The host's reference is the retain of `make`, given up in `destroy`. Calls come from the
/// threads that the contract names; the instance behind it serialises them.
final class InstanceHandle {
    private let instance: AnyInstance
    private let kind: PluginKind
    private let hasLiveParameters: Bool
    private let capabilities: UnsafePointer<gr_video_capabilities>?
    private let host: HostTable
    private let table: UnsafeMutablePointer<gr_plugin>
    /// The sender of now, whose revision follows the offers. [control]
    private var video: VideoSenderTable?
    /// The capability of the plugin's last answer. [control]
    private var agreed: VideoCapability?
    /// The declaration of an audio filter; nil for the other kinds.
    private let audio: UnsafeMutablePointer<gr_audio_pre_processor>?
    /// The lender of an output's frames; nil for other kinds.
    private let lender: FrameLender?
    /// The tracks that an output wants, or has wanted. [control; read by media]
    private var tracks: [Track] = []
    /// The text of an output's last failure. [media]
    private var failure = ""

    /// Makes an instance's C table; it stays until `destroy`.
    static func make(
        _ instance: AnyInstance, _ export: PluginExport,
        capabilities: UnsafePointer<gr_video_capabilities>?, _ host: HostTable
    ) -> UnsafePointer<gr_plugin> {
        let handle = InstanceHandle(instance, export, capabilities, host)
        handle.table.pointee.`self` = Unmanaged.passRetained(handle).toOpaque()
        return UnsafePointer(handle.table)
    }

    private init(
        _ instance: AnyInstance, _ export: PluginExport,
        _ capabilities: UnsafePointer<gr_video_capabilities>?, _ host: HostTable
    ) {
        self.capabilities = capabilities
        self.instance = instance
        kind = export.kind
        hasLiveParameters = export.hasLiveParameters
        self.host = host
        lender = export.kind.takesMedia ? FrameLender(host) : nil
        audio = instance.audioEditing.map { editing in
            let audio = UnsafeMutablePointer<gr_audio_pre_processor>.allocate(capacity: 1)
            audio.initialize(to: Self.audioTable(editing))
            return audio
        }
        table = .allocate(capacity: 1)
        table.initialize(
            to: gr_plugin(
                struct_size: UInt32(MemoryLayout<gr_plugin>.size), reserved: 0, self: nil,
                destroy: { pointer in
                    guard let pointer else { return }
                    Unmanaged<InstanceHandle>.fromOpaque(pointer).release()
                },
                initialize: { pointer, input in
                    InstanceHandle.answering(pointer) { try $0.initialize(input) }
                },
                property_change: { pointer, offer, answer in
                    InstanceHandle.answering(pointer) { try $0.propertyChange(offer, answer) }
                },
                start_send: { pointer in
                    InstanceHandle.answering(pointer) { try $0.instance.startSend() }
                },
                stop_send: { pointer in
                    InstanceHandle.at(pointer)?.stopSend()
                },
                uninitialize: { pointer in
                    InstanceHandle.at(pointer)?.uninitialize()
                },
                get_extension: { pointer, id in
                    InstanceHandle.at(pointer)?.extensionTable(id)
                }))
    }

    deinit {
        audio?.deinitialize(count: 1)
        audio?.deallocate()
        table.deinitialize(count: 1)
        table.deallocate()
    }

    private static func at(_ pointer: UnsafeMutableRawPointer?) -> InstanceHandle? {
        pointer.map { Unmanaged<InstanceHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func answering(
        _ pointer: UnsafeMutableRawPointer?, _ callback: (InstanceHandle) throws -> Void
    ) -> gr_status {
        guard let handle = at(pointer) else { return Status.badArgument.rawValue }
        return handle.host.answering { try callback(handle) }
    }

    // MARK: - Callbacks

    private func initialize(_ input: UnsafePointer<gr_initialize>) throws {
        guard input.pointee.struct_size >= MemoryLayout<gr_initialize>.size else {
            throw PluginError.short("gr_initialize")
        }
        let input = input.pointee
        let offer = try input.offer.map { try ReceivedOffer($0) }
        try input.answer?.check()
        if let functions = input.video {
            video = VideoSenderTable(
                functions, sender: input.sender, host: host, revision: offer?.revision ?? 0)
        }
        let audio = input.audio.flatMap {
            AudioSenderTable($0, sender: input.sender, host: host)
        }
        let answer = try instance.initialize(
            Initialization(
                video: video.map { VideoSender(table: $0) },
                audio: audio.map { AudioSender(table: $0) }, offer: offer))
        if let offer, let answer {
            agreed = answer.capability(suggested: offer.suggested)
            input.answer?.write(answer, to: offer)
        }
    }

    private func propertyChange(
        _ pointer: UnsafePointer<gr_offer>, _ answer: UnsafeMutablePointer<gr_answer>
    ) throws {
        let offer = try ReceivedOffer(pointer)
        try answer.check()
        // Within the callback the plugin can ask for the new revision; frames that name none are
        // of the old one until it has returned.
        video?.offeredRevision = offer.revision
        let made = try newAnswer(to: offer)
        video?.revision = offer.revision
        agreed = made.capability(suggested: offer.suggested)
        answer.write(made, to: offer)
    }

    /// A plugin without the callback continues with what it agreed to.
    private func newAnswer(to offer: ReceivedOffer) throws -> VideoAnswer {
        do {
            return try instance.propertyChange(offer) ?? .accept
        } catch is OfferIgnored {
            return agreed.map { .fixed($0) } ?? .accept
        }
    }

    private func stopSend() {
        instance.stopSend()
        lender?.end()
    }

    private func uninitialize() {
        instance.uninitialize()
        video = nil
        agreed = nil
        tracks = []
    }

    // MARK: - Callbacks of outputs

    private func track(
        _ pointer: UnsafePointer<gr_track>, _ want: UnsafeMutablePointer<gr_want>
    ) throws {
        guard pointer.pointee.struct_size >= MemoryLayout<gr_track>.size else {
            throw PluginError.short("gr_track")
        }
        try want.check()
        guard let track = Track(pointer.pointee) else { return want.write(nil) }
        let answer = try instance.track(track)
        if let answer, !answer.fits(track.kind) {
            throw PluginError(
                "the track '\(track.name)' has \(track.kind.isVideo ? "video" : "audio"), but the "
                    + "plugin wants \(track.kind.isVideo ? "audio" : "video") of it",
                status: .badAnswer)
        }
        if let index = tracks.firstIndex(where: { $0.id == track.id }) {
            // A track that the plugin no longer requests may still have frames in a queue.
            tracks[index] = track
        } else if answer != nil || kind.isComposer {
            tracks.append(track)
        }
        want.write(answer)
    }

    private func trackEnded(_ id: UInt32) {
        guard let track = wanted(id) else { return }
        instance.trackEnded(track)
        tracks.removeAll { $0.id == id }
    }

    private func demand(_ demand: UnsafePointer<gr_demand>) {
        guard demand.pointee.struct_size >= MemoryLayout<gr_demand>.size else { return }
        instance.demand(TrackDemand(demand.pointee))
    }

    private func video(_ frame: UnsafePointer<gr_output_frame>) -> gr_status {
        guard frame.pointee.struct_size >= MemoryLayout<gr_output_frame>.size, let lender,
            let track = wanted(frame.pointee.track),
            let frame = OutputFrame(frame, of: track, from: lender)
        else { return Status.badArgument.rawValue }
        lender.begin()
        do {
            try instance.video(frame)
            return Status.ok.rawValue
        } catch {
            return failed(error)
        }
    }

    private func audio(_ block: UnsafePointer<gr_output_block>) -> gr_status {
        guard block.pointee.struct_size >= MemoryLayout<gr_output_block>.size,
            let track = wanted(block.pointee.track), let block = OutputBlock(block, of: track)
        else { return Status.badArgument.rawValue }
        do {
            try instance.audio(block)
            return Status.ok.rawValue
        } catch {
            return failed(error)
        }
    }

    private func wanted(_ id: UInt32) -> Track? { tracks.first { $0.id == id } }

    /// Not a control callback, so there is no set_error: the log has the reason, once in a row.
    private func failed(_ error: any Error) -> gr_status {
        let error = PluginError(describing: error)
        if error.text != failure {
            failure = error.text
            host.log(PluginHost.LogLevel.warning.rawValue, error.text)
        }
        return error.status == .ok ? Status.failed.rawValue : error.status.rawValue
    }

    // MARK: - Extensions

    private func extensionTable(_ id: UnsafePointer<CChar>) -> UnsafeRawPointer? {
        if kind.isFilter, strcmp(id, GR_EXT_PRE_PROCESSOR) == 0 {
            return UnsafeRawPointer(Self.preProcessor.pointer)
        }
        if kind.isFilter, strcmp(id, GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE) == 0 {
            return UnsafeRawPointer(Self.propertyChange.pointer)
        }
        if let audio, strcmp(id, GR_EXT_AUDIO_PRE_PROCESSOR) == 0 {
            return UnsafeRawPointer(audio)
        }
        if kind.takesMedia, strcmp(id, GR_EXT_OUTPUT) == 0 {
            return UnsafeRawPointer(Self.output.pointer)
        }
        if kind.isCall, strcmp(id, GR_EXT_CALL) == 0 {
            return UnsafeRawPointer(Self.call.pointer)
        }
        if strcmp(id, GR_EXT_CONTROL) == 0 {
            return UnsafeRawPointer(Self.control.pointer)
        }
        if hasLiveParameters, strcmp(id, GR_EXT_LIVE_PARAMETERS) == 0 {
            return UnsafeRawPointer(Self.liveParameters.pointer)
        }
        if let capabilities, strcmp(id, GR_EXT_VIDEO_CAPABILITIES) == 0 {
            return UnsafeRawPointer(capabilities)
        }
        return nil
    }

    /// An immutable table that is never freed.
    private struct Leaked<Table>: @unchecked Sendable {
        // Safe to share: the memory is written before it is seen, and only read from then on.
        let pointer: UnsafePointer<Table>
        init(_ table: Table) { pointer = leaked(table) }
    }

    private static let preProcessor = Leaked(
        gr_pre_processor(
            struct_size: UInt32(MemoryLayout<gr_pre_processor>.size), reserved: 0,
            process: { pointer, frame in
                guard let handle = InstanceHandle.at(pointer),
                    frame.pointee.struct_size >= MemoryLayout<gr_mutable_frame>.size,
                    var mutable = MutableFrame(frame.pointee)
                else { return Status.badArgument.rawValue }
                do {
                    try handle.instance.process(&mutable)
                    return Status.ok.rawValue
                } catch {
                    return handle.failed(error)
                }
            }))

    /// Out of range numbers are the author's; the host explains them.
    private static func audioTable(_ editing: AudioEditing) -> gr_audio_pre_processor {
        gr_audio_pre_processor(
            struct_size: UInt32(MemoryLayout<gr_audio_pre_processor>.size),
            channels: UInt32(clamping: editing.channels),
            delay_frames: UInt32(clamping: editing.delayFrames),
            flags: editing.takesReference ? GR_AUDIO_EDIT_REFERENCE : 0,
            process: { pointer, block in
                guard let handle = InstanceHandle.at(pointer),
                    block.pointee.struct_size >= MemoryLayout<gr_audio_edit>.size,
                    var mutable = MutableAudioBlock(block.pointee)
                else { return Status.badArgument.rawValue }
                do {
                    try handle.instance.process(&mutable)
                    return Status.ok.rawValue
                } catch {
                    return handle.failed(error)
                }
            })
    }

    private static let propertyChange = Leaked(
        gr_pre_processor_property_change(
            struct_size: UInt32(MemoryLayout<gr_pre_processor_property_change>.size), reserved: 0,
            property_change: { pointer, offer in
                InstanceHandle.answering(pointer) {
                    try $0.instance.change(try ReceivedOffer(offer).suggested)
                }
            }))

    private static let output = Leaked(
        gr_output(
            struct_size: UInt32(MemoryLayout<gr_output>.size), reserved: 0,
            track: { pointer, track, want in
                InstanceHandle.answering(pointer) { try $0.track(track, want) }
            },
            video: { pointer, frame in
                InstanceHandle.at(pointer)?.video(frame) ?? Status.badArgument.rawValue
            },
            audio: { pointer, block in
                InstanceHandle.at(pointer)?.audio(block) ?? Status.badArgument.rawValue
            },
            gone: { pointer, track in InstanceHandle.at(pointer)?.trackEnded(track) }))

    private static let call = Leaked(
        gr_call(
            struct_size: UInt32(MemoryLayout<gr_call>.size), reserved: 0,
            demand: { pointer, demand in InstanceHandle.at(pointer)?.demand(demand) }))

    private static let control = Leaked(
        gr_control(
            struct_size: UInt32(MemoryLayout<gr_control>.size), reserved: 0,
            event: { pointer, json in
                InstanceHandle.at(pointer)?.instance.sessionEvent(String(cString: json))
            }))

    private static let liveParameters = Leaked(
        gr_live_parameters(
            struct_size: UInt32(MemoryLayout<gr_live_parameters>.size), reserved: 0,
            set: { pointer, setting in
                InstanceHandle.answering(pointer) { handle in
                    let name = setting.pointee.named
                    try handle.instance.change(
                        name, to: setting.pointee.value.checked(named: name))
                }
            }))
}
