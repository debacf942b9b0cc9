import GreenroomABI
import GreenroomMedia
import Glibc
import Synchronization
import TestSupport
import Testing

/// An instance of an exported plugin, driven through the C tables like a host does.
final class FakeSession {
    let host: FakeHost
    let plugin: UnsafePointer<gr_plugin>
    private(set) var answer = gr_answer()
    /// The kind of the last answer: 1 accept, 2 counter, 3 fixed.
    var answerKind: UInt32 { answer.kind }
    private var isDestroyed = false

    /// Creates an instance.
    ///
    /// - Throws: A refusal with the status of `create`.
    convenience init(
        _ name: String, of entry: UnsafePointer<gr_entry>, settings: [(String, Given)] = [],
        host: FakeHost = FakeHost(), structSize: Int = MemoryLayout<gr_create>.size
    ) throws {
        let index = try #require(
            (0..<entry.pointee.plugin_count).first {
                entry.pointee.descriptor($0).map { String(cString: $0.pointee.name) } == name
            })
        try self.init(
            pluginAt: index, of: entry, settings: settings, host: host, structSize: structSize)
    }

    /// Creates an instance of the plugin at an index of the entry.
    init(
        pluginAt index: UInt32, of entry: UnsafePointer<gr_entry>,
        settings: [(String, Given)] = [], host: FakeHost = FakeHost(),
        structSize: Int = MemoryLayout<gr_create>.size
    ) throws {
        self.host = host
        let list = settings.map { gr_setting(name: cString($0.0), value: $0.1.cValue) }
        var made: UnsafePointer<gr_plugin>?
        let status = list.withUnsafeBufferPointer { list in
            var input = gr_create(
                struct_size: UInt32(structSize), setting_count: UInt32(list.count),
                instance: host.id, host: FakeHost.functions.pointer, settings: list.baseAddress)
            return entry.pointee.create(index, &input, &made)
        }
        guard status == 0 else { throw FakeHost.Refusal(status: Status(rawValue: status)) }
        plugin = try #require(made)
    }

    deinit { destroy() }

    func destroy() {
        guard !isDestroyed else { return }
        isDestroyed = true
        plugin.pointee.destroy(plugin.pointee.`self`)
    }

    /// Initializes a video source with rows; the first one is suggested.
    func initializeVideo(
        _ rows: [VideoCapability] = [VideoCapability(width: 64, height: 36, fps: 30)],
        revision: UInt32 = 1, structSize: Int = MemoryLayout<gr_initialize>.size
    ) -> Status {
        withOffer(rows, revision) { offer in
            var answer = gr_answer(
                struct_size: UInt32(MemoryLayout<gr_answer>.size), kind: 1,
                capability: offer.pointee.suggested)
            let status = withUnsafeMutablePointer(to: &answer) { answer in
                var input = gr_initialize(
                    struct_size: UInt32(structSize), reserved: 0, sender: host.id,
                    video: FakeHost.video.pointer, audio: nil, offer: offer, answer: answer)
                return plugin.pointee.initialize(plugin.pointee.`self`, &input)
            }
            self.answer = answer
            return Status(rawValue: status)
        }
    }

    /// Initializes an audio source.
    func initializeAudio() -> Status {
        var input = gr_initialize(
            struct_size: UInt32(MemoryLayout<gr_initialize>.size), reserved: 0, sender: host.id,
            video: nil, audio: FakeHost.audio.pointer, offer: nil, answer: nil)
        return Status(rawValue: plugin.pointee.initialize(plugin.pointee.`self`, &input))
    }

    /// Initializes a pre-processor.
    func initializePreProcessor(_ row: VideoCapability) -> Status {
        withOffer([row], 1) { offer in
            var input = gr_initialize(
                struct_size: UInt32(MemoryLayout<gr_initialize>.size), reserved: 0, sender: 0,
                video: nil, audio: nil, offer: offer, answer: nil)
            return Status(rawValue: plugin.pointee.initialize(plugin.pointee.`self`, &input))
        }
    }

    func propertyChange(_ rows: [VideoCapability], revision: UInt32) throws -> Status {
        let call = try #require(plugin.pointee.property_change)
        return withOffer(rows, revision) { offer in
            var answer = gr_answer(
                struct_size: UInt32(MemoryLayout<gr_answer>.size), kind: 1,
                capability: offer.pointee.suggested)
            let status = call(plugin.pointee.`self`, offer, &answer)
            self.answer = answer
            return Status(rawValue: status)
        }
    }

    private func withOffer<Result>(
        _ rows: [VideoCapability], _ revision: UInt32,
        _ body: (UnsafePointer<gr_offer>) -> Result
    ) -> Result {
        let rows = rows.map(gr_capability.init)
        return rows.withUnsafeBufferPointer { buffer in
            // No test makes an offer without rows.
            guard let start = buffer.baseAddress else { preconditionFailure("no rows") }
            var offer = gr_offer(
                struct_size: UInt32(MemoryLayout<gr_offer>.size), revision: revision, rule: 1,
                reason: 1, rows: start, row_count: UInt32(buffer.count), reserved: 0,
                suggested: rows[0])
            return body(&offer)
        }
    }

    func startSend() -> Status {
        host.begin()
        return Status(rawValue: plugin.pointee.start_send(plugin.pointee.`self`))
    }

    func stopSend() {
        host.end()
        plugin.pointee.stop_send(plugin.pointee.`self`)
    }

    func uninitialize() {
        plugin.pointee.uninitialize(plugin.pointee.`self`)
        host.state.withLock { $0.isGone = true }
    }

    /// Starts, lets the plugin send until the clock has advanced by a duration, and stops.
    func run(nanoseconds: Int64) -> Status {
        host.state.withLock { $0.end = $0.now + nanoseconds }
        let status = startSend()
        guard status == .ok else { return status }
        host.waitForEnd()
        stopSend()
        return .ok
    }

    func set(_ name: String, _ value: Given) throws -> Status {
        let table = try #require(extensionTable(GR_EXT_LIVE_PARAMETERS))
            .assumingMemoryBound(to: gr_live_parameters.self)
        var setting = gr_setting(name: cString(name), value: value.cValue)
        return Status(rawValue: table.pointee.set(plugin.pointee.`self`, &setting))
    }

    func process(_ frame: inout gr_mutable_frame) throws -> Status {
        let table = try #require(extensionTable(GR_EXT_PRE_PROCESSOR))
            .assumingMemoryBound(to: gr_pre_processor.self)
        return Status(rawValue: table.pointee.process(plugin.pointee.`self`, &frame))
    }

    /// Initializes an audio pre-processor.
    func initializeAudioFilter() -> Status {
        var input = gr_initialize(
            struct_size: UInt32(MemoryLayout<gr_initialize>.size), reserved: 0, sender: 0,
            video: nil, audio: nil, offer: nil, answer: nil)
        return Status(rawValue: plugin.pointee.initialize(plugin.pointee.`self`, &input))
    }

    /// The declaration of an audio pre-processor.
    func audioFilter() throws -> gr_audio_pre_processor {
        try #require(extensionTable(GR_EXT_AUDIO_PRE_PROCESSOR))
            .assumingMemoryBound(to: gr_audio_pre_processor.self).pointee
    }

    /// Lets an audio pre-processor edit audio in blocks of 10 ms; a rest is left out.
    ///
    /// - Parameters:
    ///   - samples: In the channels that it declares.
    ///   - reference: As many; nil if none.
    func edit(_ samples: [Int16], reference: [Int16]? = nil) throws -> [Int16] {
        let filter = try audioFilter()
        let count = Int(filter.channels) * 480
        var result: [Int16] = []
        for start in stride(from: 0, through: samples.count - count, by: count) {
            var block = Array(samples[start..<(start + count)])
            let played = reference.map { Array($0[start..<(start + count)]) }
            let status = block.withUnsafeMutableBufferPointer { block in
                (played ?? []).withUnsafeBufferPointer { played in
                    guard let base = block.baseAddress else { return Status.failed.rawValue }
                    var edit = gr_audio_edit(
                        struct_size: UInt32(MemoryLayout<gr_audio_edit>.size),
                        channels: filter.channels, frame_count: 480, reserved: 0,
                        pts_ns: Int64(start / count) * 10_000_000, samples: base,
                        reference: reference == nil ? nil : played.baseAddress)
                    return filter.process(plugin.pointee.`self`, &edit)
                }
            }
            try #require(status == 0)
            result += block
        }
        return result
    }

    /// Lets an audio pre-processor edit one block, which it may refuse.
    func editOnce(_ samples: [Int16]) throws -> (Status, [Int16]) {
        let filter = try audioFilter()
        var block = samples
        let status = block.withUnsafeMutableBufferPointer { block in
            guard let base = block.baseAddress else { return Status.failed.rawValue }
            var edit = gr_audio_edit(
                struct_size: UInt32(MemoryLayout<gr_audio_edit>.size), channels: filter.channels,
                frame_count: 480, reserved: 0, pts_ns: 0, samples: base, reference: nil)
            return filter.process(plugin.pointee.`self`, &edit)
        }
        return (Status(rawValue: status), block)
    }

    /// Tells a pre-processor of another size of its frames.
    func changeFrames(_ row: VideoCapability) throws -> Status {
        let table = try #require(extensionTable(GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE))
            .assumingMemoryBound(to: gr_pre_processor_property_change.self)
        return withOffer([row], 2) {
            Status(rawValue: table.pointee.property_change(plugin.pointee.`self`, $0))
        }
    }

    func extensionTable(_ id: String) -> UnsafeRawPointer? {
        plugin.pointee.get_extension?(plugin.pointee.`self`, id)
    }
}

extension gr_capability {
    init(_ capability: VideoCapability) {
        self.init(
            width: UInt32(capability.size.width), height: UInt32(capability.size.height),
            fps_numerator: capability.rate.numerator,
            fps_denominator: capability.rate.denominator)
    }
}

/// The value of a setting.
enum Given: Sendable {
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case text(String)
    case choice(String)
    case path(String)
    case nothing(type: UInt32)

    var cValue: gr_value {
        switch self {
        case .boolean(let value): Self.value(1, integer: value ? 1 : 0)
        case .integer(let value): Self.value(2, integer: value)
        case .number(let value): Self.value(3, number: value)
        case .text(let value): Self.value(4, string: cString(value))
        case .choice(let value): Self.value(5, string: cString(value))
        case .path(let value): Self.value(6, string: cString(value))
        case .nothing(let type): Self.value(type)
        }
    }

    private static func value(
        _ type: UInt32, integer: Int64 = 0, number: Double = 0,
        string: UnsafePointer<CChar>? = nil
    ) -> gr_value {
        gr_value(type: type, reserved: 0, integer: integer, number: number, string: string)
    }
}

/// The calling thread, as a key.
func currentThread() -> UInt { UInt(pthread_self()) }

/// The entry of a bundled plugin's shared library in the build folder.
func bundledEntry(_ name: String) throws -> UnsafePointer<gr_entry> {
    let library = try #require(
        dlopen(Checkout.products + "/lib\(name).so", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE),
        "\(String(cString: dlerror()))")
    let symbol = try #require(dlsym(library, GR_ENTRY_SYMBOL))
    let entry = unsafeBitCast(symbol, to: gr_entry_function.self)
    return try #require(entry())
}
