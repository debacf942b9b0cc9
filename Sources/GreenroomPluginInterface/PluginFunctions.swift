package import GreenroomABI
package import GreenroomMedia
package import GreenroomNegotiation

/// The checked functions of one instance, as Swift calls.
///
/// Safe to send: the pointers belong to the plugin and stay valid until `destroy`. The lifecycle
/// determines the thread of each call.
package struct PluginFunctions: @unchecked Sendable {
    private let plugin: gr_plugin
    private let kind: PluginKind
    private let liveParameters: gr_live_parameters?
    private let preProcessor: gr_pre_processor?
    private let frameChange: gr_pre_processor_property_change?
    private let audioPreProcessor: gr_audio_pre_processor?
    private let output: gr_output?
    private let call: gr_call?
    private let control: gr_control?
    /// The capabilities that the source declares; empty if it declares none.
    package let capabilities: [VideoCapability]
    /// The declaration of an audio pre-processor; nil for other kinds.
    package let audioEditing: AudioEditing?

    /// Checks the result of `create`.
    init(
        checking address: UnsafePointer<gr_plugin>?, of descriptor: PluginDescriptor, path: String
    ) throws(LoadError) {
        func error(_ explanation: String) -> LoadError {
            LoadError(
                code: .badInstance, place: path, explanation: "\(descriptor.name): \(explanation)")
        }
        guard let address else { throw error("create left *plugin NULL.") }
        let raw = UnsafeRawPointer(address)
        let size = raw.load(as: UInt32.self)
        guard size >= UInt32(MemoryLayout<gr_plugin>.size) else {
            throw error(
                "gr_plugin's struct_size is \(size), but major 1 has at least "
                    + "\(MemoryLayout<gr_plugin>.size) bytes. Set it to sizeof(gr_plugin).")
        }
        let required: [(String, Int?)] = [
            ("destroy", MemoryLayout<gr_plugin>.offset(of: \.destroy)),
            ("initialize", MemoryLayout<gr_plugin>.offset(of: \.initialize)),
            ("start_send", MemoryLayout<gr_plugin>.offset(of: \.start_send)),
            ("stop_send", MemoryLayout<gr_plugin>.offset(of: \.stop_send)),
            ("uninitialize", MemoryLayout<gr_plugin>.offset(of: \.uninitialize)),
        ]
        for (name, offset) in required
        where raw.load(fromByteOffset: offset ?? 0, as: UInt.self) == 0 {
            throw error("\(name) is NULL. Every function without GR_NULLABLE is required.")
        }
        plugin = address.pointee
        kind = descriptor.kind

        func functions<Extension>(_ id: String, _ type: Extension.Type, function: Int?)
            -> (found: Extension?, isBroken: Bool)
        {
            guard let pointer = address.pointee.get_extension?(address.pointee.`self`, id) else {
                return (nil, false)
            }
            guard pointer.load(as: UInt32.self) >= UInt32(MemoryLayout<Extension>.size),
                pointer.load(fromByteOffset: function ?? 0, as: UInt.self) != 0
            else { return (nil, true) }
            return (pointer.load(as: Extension.self), false)
        }
        let live = functions(
            GR_EXT_LIVE_PARAMETERS, gr_live_parameters.self,
            function: MemoryLayout<gr_live_parameters>.offset(of: \.set))
        let processor = functions(
            GR_EXT_PRE_PROCESSOR, gr_pre_processor.self,
            function: MemoryLayout<gr_pre_processor>.offset(of: \.process))
        let change = functions(
            GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE, gr_pre_processor_property_change.self,
            function: MemoryLayout<gr_pre_processor_property_change>.offset(of: \.property_change))
        let audio = functions(
            GR_EXT_AUDIO_PRE_PROCESSOR, gr_audio_pre_processor.self,
            function: MemoryLayout<gr_audio_pre_processor>.offset(of: \.process))
        let output = functions(
            GR_EXT_OUTPUT, gr_output.self, function: MemoryLayout<gr_output>.offset(of: \.track))
        let call = functions(
            GR_EXT_CALL, gr_call.self, function: MemoryLayout<gr_call>.offset(of: \.demand))
        let control = functions(
            GR_EXT_CONTROL, gr_control.self,
            function: MemoryLayout<gr_control>.offset(of: \.event))
        guard !live.isBroken, !processor.isBroken, !change.isBroken, !output.isBroken,
            !call.isBroken, !control.isBroken, !audio.isBroken,
            output.found.map(Self.hasEveryFunction) ?? true
        else {
            throw error("an extension has a NULL function, or its struct_size is too small.")
        }
        if live.found == nil, descriptor.parameters.contains(where: \.isLive) {
            throw error("has live parameters, but no extension \(GR_EXT_LIVE_PARAMETERS).")
        }
        if processor.found == nil, descriptor.kind.isFilter {
            throw error("a pre-processor without the extension \(GR_EXT_PRE_PROCESSOR).")
        }
        if audio.found == nil, descriptor.kind.isAudioFilter {
            throw error(
                "an audio pre-processor lacks the extension \(GR_EXT_AUDIO_PRE_PROCESSOR)")
        }
        if output.found == nil, descriptor.kind.takesMedia {
            throw error(
                "\(descriptor.kind.nameWithArticle) without the extension \(GR_EXT_OUTPUT).")
        }
        if call.found == nil, descriptor.kind.isCall {
            throw error("a call without the extension \(GR_EXT_CALL).")
        }
        liveParameters = live.found
        preProcessor = processor.found
        frameChange = descriptor.kind.isFilter ? change.found : nil
        audioPreProcessor = descriptor.kind.isAudioFilter ? audio.found : nil
        audioEditing = try audioPreProcessor.map { audio throws(LoadError) in
            try Self.read(audio, error)
        }
        self.output = output.found
        self.call = call.found
        self.control = control.found
        let reported =
            descriptor.kind.offerRule == nil
            ? nil
            : address.pointee.get_extension?(address.pointee.`self`, GR_EXT_VIDEO_CAPABILITIES)
        capabilities =
            try reported.map { reported throws(LoadError) in
                try Self.readCapabilities(reported, error)
            } ?? []
    }

    /// Whether an output has every media function. Swift assumes that the imported pointers are not
    /// NULL.
    private static func hasEveryFunction(_ output: gr_output) -> Bool {
        withUnsafeBytes(of: output) { bytes in
            [
                MemoryLayout<gr_output>.offset(of: \.video),
                MemoryLayout<gr_output>.offset(of: \.audio),
            ]
            .allSatisfy { bytes.load(fromByteOffset: $0 ?? 0, as: UInt.self) != 0 }
        }
    }

    /// Reads the capabilities of a source. The numbers are untrusted.
    private static func readCapabilities(
        _ address: UnsafeRawPointer, _ error: (String) -> LoadError
    ) throws(LoadError) -> [VideoCapability] {
        let place = GR_EXT_VIDEO_CAPABILITIES
        let size = address.load(as: UInt32.self)
        guard size >= UInt32(MemoryLayout<gr_video_capabilities>.size) else {
            throw error(
                "\(place): struct_size is \(size). Set it to sizeof(gr_video_capabilities).")
        }
        let reported = address.load(as: gr_video_capabilities.self)
        guard reported.count <= UInt32(GR_MAX_CAPABILITIES) else {
            throw error(
                "\(place): count is \(reported.count), limit: \(GR_MAX_CAPABILITIES). Leave "
                    + "rows out.")
        }
        guard reported.count > 0 else { return [] }
        guard let rows = reported.rows else {
            throw error("\(place): rows is NULL, but count is \(reported.count).")
        }
        var result: [VideoCapability] = []
        for (index, row) in UnsafeBufferPointer(start: rows, count: Int(reported.count))
            .enumerated()
        {
            guard let capability = VideoCapability(row) else {
                throw error(
                    row.size.isLegal
                        ? "\(place): rows[\(index)] has the rate \(row.fps_numerator)/"
                            + "\(row.fps_denominator), but rates must be above 0 and at most 1000."
                        : "\(place): rows[\(index)] is \(row.width)x\(row.height), but each side must "
                            + "be 1 to \(FrameSize.maximumDimension).")
            }
            result.append(capability)
        }
        return result
    }

    /// Reads the declaration of an audio pre-processor. The numbers are untrusted.
    private static func read(
        _ audio: gr_audio_pre_processor, _ error: (String) -> LoadError
    ) throws(LoadError) -> AudioEditing {
        let place = GR_EXT_AUDIO_PRE_PROCESSOR
        guard (1...2).contains(audio.channels) else {
            throw error("\(place): channels is \(audio.channels). Set it to 1 or 2.")
        }
        guard audio.delay_frames <= UInt32(GR_MAX_AUDIO_DELAY_FRAMES) else {
            throw error(
                "\(place): delay_frames is \(audio.delay_frames), limit: "
                    + "\(GR_MAX_AUDIO_DELAY_FRAMES). Look less far ahead.")
        }
        guard audio.flags & ~GR_AUDIO_EDIT_REFERENCE == 0 else {
            throw error(
                "\(place): flags is \(audio.flags). Use GR_AUDIO_EDIT_REFERENCE, or 0.")
        }
        return AudioEditing(
            channels: Int(audio.channels), delayFrames: Int(audio.delay_frames),
            takesReference: audio.flags & GR_AUDIO_EDIT_REFERENCE != 0)
    }

    /// Whether the plugin implements `property_change`: a source directly, a pre-processor through
    /// the extension.
    package var takesNewOffers: Bool {
        preProcessor == nil ? plugin.property_change != nil : frameChange != nil
    }

    /// Calls a function of the plugin. [control]
    @discardableResult package func perform(_ call: PluginCall) -> PluginReply {
        var reply = PluginReply(to: call)
        switch call {
        case .initialize(let sender, let offer):
            reply.status = initialize(sender: sender, offer: offer, &reply.answer)
        case .propertyChange(let offer):
            reply.status = propertyChange(offer: offer, &reply.answer)
        case .setParameter(let setting):
            reply.status =
                [setting].withABI { settings in
                    settings.baseAddress.flatMap { liveParameters?.set(plugin.`self`, $0) }
                }.map(Status.init) ?? .unsupported
        case .startSend: reply.status = Status(rawValue: plugin.start_send(plugin.`self`))
        case .stopSend: plugin.stop_send(plugin.`self`)
        case .uninitialize: plugin.uninitialize(plugin.`self`)
        case .destroy: plugin.destroy(plugin.`self`)
        case .getExtension(let id):
            reply.address =
                plugin.get_extension?(plugin.`self`, id).map { UInt64(UInt(bitPattern: $0)) } ?? 0
        case .track(let track, _):
            reply.status =
                track.withABI { output?.track(plugin.`self`, $0, &reply.want) }
                .map(Status.init) ?? .unsupported
        case .trackEnded(let track): output?.gone?(plugin.`self`, track)
        case .demand(let demand):
            var demand = gr_demand(demand)
            self.call?.demand(plugin.`self`, &demand)
        case .event(let json): control?.event(plugin.`self`, json)
        }
        return reply
    }

    private func propertyChange(offer: Offer, _ answer: inout gr_answer) -> Status {
        let status: gr_status? = offer.withABI { offer in
            if let frameChange { return frameChange.property_change(plugin.`self`, offer) }
            guard preProcessor == nil else { return nil }
            return plugin.property_change?(plugin.`self`, offer, &answer)
        }
        return status.map(Status.init) ?? .unsupported
    }

    private func initialize(sender: UInt64, offer: Offer?, _ answer: inout gr_answer) -> Status {
        var input = gr_initialize()
        input.struct_size = UInt32(MemoryLayout<gr_initialize>.size)
        input.sender = sender
        switch kind.sender {
        case .video: input.video = HostInterface.video
        case .audio: input.audio = HostInterface.audio
        case nil: break
        }
        guard let offer else { return Status(rawValue: plugin.initialize(plugin.`self`, &input)) }
        let status = offer.withABI { offer in
            withUnsafeMutablePointer(to: &answer) { answer in
                input.offer = offer
                if kind.offerRule != nil { input.answer = answer }
                return plugin.initialize(plugin.`self`, &input)
            }
        }
        return Status(rawValue: status)
    }

    /// Edits a frame in place. [media]
    package func process(_ frame: inout gr_mutable_frame) -> Status {
        guard let preProcessor else { return .unsupported }
        return Status(rawValue: preProcessor.process(plugin.`self`, &frame))
    }

    /// Edits a block of audio in place. [media]
    package func edit(_ block: inout gr_audio_edit) -> Status {
        guard let audioPreProcessor else { return .unsupported }
        return Status(rawValue: audioPreProcessor.process(plugin.`self`, &block))
    }

    /// Passes a frame to an output. [media]
    package func take(_ frame: inout gr_output_frame) -> Status {
        guard let output else { return .unsupported }
        return Status(rawValue: output.video(plugin.`self`, &frame))
    }

    /// Passes a block of audio to an output. [media]
    package func take(_ block: inout gr_output_block) -> Status {
        guard let output else { return .unsupported }
        return Status(rawValue: output.audio(plugin.`self`, &block))
    }
}

/// The demand for a participant's track.
package struct Demand: Equatable, Sendable {
    /// The track's sender.
    package var sender: UInt64
    /// Whether any output wants the track.
    package var isWanted: Bool
    /// The maximum size and rate of the wanted video.
    package var capability: VideoCapability?

    package init(sender: UInt64, isWanted: Bool, capability: VideoCapability?) {
        self.sender = sender
        self.isWanted = isWanted
        self.capability = capability
    }
}

extension gr_demand {
    fileprivate init(_ demand: Demand) {
        self.init(
            struct_size: UInt32(MemoryLayout<gr_demand>.size), is_wanted: demand.isWanted ? 1 : 0,
            sender: demand.sender,
            capability: demand.capability.map(gr_capability.init) ?? gr_capability())
    }
}

extension Offer {
    /// Passes the offer as a C struct to a body. The pointer is valid only during the call.
    package func withABI<Result>(_ body: (UnsafePointer<gr_offer>) -> Result) -> Result {
        let rows = rows.map(gr_capability.init)
        return rows.withUnsafeBufferPointer { rows in
            // A valid pointer for an offer without rows. No code reads it.
            let noRows = UnsafePointer<gr_capability>(
                bitPattern: MemoryLayout<gr_capability>.alignment)
            guard let base = rows.isEmpty ? noRows : rows.baseAddress else {
                preconditionFailure("an address that is not zero is one")
            }
            var offer = gr_offer(
                struct_size: UInt32(MemoryLayout<gr_offer>.size), revision: revision,
                rule: rule.rawValue, reason: reason.rawValue, rows: base,
                row_count: UInt32(rows.count), reserved: 0, suggested: gr_capability(suggested))
            return body(&offer)
        }
    }
}

extension gr_answer {
    /// The default answer: the suggestion, accepted.
    package init(accepting offer: Offer) {
        self.init(
            struct_size: UInt32(MemoryLayout<gr_answer>.size), kind: UInt32(GR_ANSWER_ACCEPT),
            capability: gr_capability(offer.suggested))
    }
}

extension VideoCapability {
    /// Reads a plugin's capability. The numbers are untrusted; nil if the size or the rate is
    /// illegal.
    package init?(_ written: gr_capability) {
        guard written.size.isLegal,
            let rate = FrameRate(
                numerator: written.fps_numerator, denominator: written.fps_denominator)
        else { return nil }
        self.init(size: written.size, rate: rate)
    }
}

extension gr_capability {
    package var size: FrameSize { FrameSize(width: Int(width), height: Int(height)) }

    package init(_ capability: VideoCapability) {
        self.init(
            width: UInt32(capability.size.width), height: UInt32(capability.size.height),
            fps_numerator: capability.rate.numerator,
            fps_denominator: capability.rate.denominator)
    }
}

extension Answer {
    /// Reads a plugin's answer.
    ///
    /// If a plugin changes the capability but not the kind, the answer is a counter-offer.
    ///
    /// - Parameter offer: The offer that the plugin answers.
    package init(_ answer: gr_answer, to offer: Offer) throws(InvalidValueError) {
        guard !answer.isCleared else {
            self = .accept
            return
        }
        let written = answer.capability
        guard
            let rate = FrameRate(
                numerator: written.fps_numerator, denominator: written.fps_denominator)
        else {
            throw InvalidValueError(
                "answers with the rate \(written.fps_numerator)/"
                    + "\(written.fps_denominator), but rates must be above 0 and at most 1000.")
        }
        let capability = VideoCapability(
            size: FrameSize(width: Int(written.width), height: Int(written.height)), rate: rate)
        switch answer.kind {
        case UInt32(GR_ANSWER_COUNTER): self = .counter(capability)
        case UInt32(GR_ANSWER_FIXED): self = .fixed(capability)
        case UInt32(GR_ANSWER_ACCEPT):
            self = capability == offer.suggested ? .accept : .counter(capability)
        default:
            throw InvalidValueError(
                "unknown kind of answer: \(answer.kind). Use a GR_ANSWER_ constant")
        }
    }
}

extension gr_answer {
    /// Whether an accepting plugin has cleared the capability, which is then ignored.
    fileprivate var isCleared: Bool {
        kind == UInt32(GR_ANSWER_ACCEPT) && capability.width == 0 && capability.height == 0
            && capability.fps_numerator == 0
    }

    /// A hint for the author of an answer that was read as a counter-offer because of its
    /// capability; nil if none.
    ///
    /// - Parameter answer: The interpretation of the answer.
    package func advice(on answer: Answer) -> String? {
        guard kind == UInt32(GR_ANSWER_ACCEPT), case .counter(let capability) = answer else {
            return nil
        }
        return
            "writes \(capability) into its answer, but leaves the kind GR_ANSWER_ACCEPT, which "
            + "counts as a counter-offer: set kind to GR_ANSWER_COUNTER"
    }
}
