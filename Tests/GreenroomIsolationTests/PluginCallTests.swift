import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomNegotiation
import Synchronization
import TestSupport
import Testing

@testable import GreenroomIsolation
@testable import GreenroomPluginInterface
@testable import GreenroomRunner

// Nested: a call with an unknown handle goes to the process's newest runner, so the tests of both tables take turns.
extension HostCallTests {
    /// Every function of a plugin gets the same arguments and gives the same result in the host's process and
    /// in another.
    @Suite(.serialized) struct PluginCallTests {
        private static let row = VideoCapability(width: 64, height: 48, fps: 30)
        private static let offer = Offer(
            revision: 3, rule: .upTo, reason: .ceilingLowered, rows: [row, row], suggested: row)
        private static let track = OutputTrack(
            id: 5, kind: UInt32(GR_TRACK_CAMERA), name: "ana-camera", capability: row,
            participant: OutputTrack.Participant(number: 2, name: "Ana"))

        /// Examples of every call, in a legal order.
        private static let calls: [PluginCall] = [
            .initialize(sender: 0, offer: nil), .initialize(sender: 7, offer: offer),
            .propertyChange(offer), .startSend,
            .setParameter(PluginSetting(name: "text", type: .string, value: .string("a ä"))),
            .setParameter(PluginSetting(name: "number", type: .number, value: .number(-0.5))),
            .getExtension(GR_EXT_OUTPUT), .getExtension(GR_EXT_CALL),
            .getExtension("greenroom.none/1"),
            .track(track, want: .ordinary), .track(track, want: gr_want()), .trackEnded(5),
            .demand(Demand(sender: 9, isWanted: true, capability: row)),
            .demand(Demand(sender: 9, isWanted: false, capability: nil)),
            .event(#"{"event":"a ä"}"#), .stopSend, .uninitialize, .destroy,
            // The first instance is gone.
            .startSend,
        ]

        private static func bytes(_ call: PluginCall) -> [UInt8] {
            var writer = WireWriter()
            writer.write(call)
            return writer.bytes
        }

        @Test(arguments: RecordingPlugin.kinds.indices, [0, 1, 11, 4711] as [gr_status])
        func `a call has the same result in the host's process and isolated`(
            index: Int, status: gr_status
        ) throws {
            let library = try PluginLibrary(entry: RecordingPlugin.entry, path: "/nowhere")
            let descriptor = library.descriptors[index]
            let made = try library.create(descriptor, handle: 1, settings: [])
            let functions = try #require(made.functions)
            let here = RecordingPlugin.results(of: Self.calls.dropLast(), answering: status) {
                functions.perform($0)
            }

            let border = try Border(RiggedInstance(.shareSource))
            defer { border.end() }
            let connection = border.connection
            #expect(try connection.load("/nowhere") == library.selfDescription)
            var message = WireWriter()
            message.write(creationOf: descriptor, [], for: nil)
            var answer = try #require(connection.call(.create, message))
            #expect(try answer.readBool())
            let there = RecordingPlugin.results(of: Self.calls, answering: status) {
                connection.perform($0)
            }
            #expect(there.count == Self.calls.count)
            for (here, there) in zip(here, there) { #expect(here == there) }
            #expect(there.last?.contains("GONE") == true)
            #expect(
                Set(here.map { $0.contains("UNSUPPORTED") })
                    == (index > 0 ? [false] : [true, false]))
        }

        @Test func `every call of a lost process is refused with GONE, and keeps the last want`()
            throws
        {
            let border = try Border(RiggedInstance(.shareSource))
            border.end()
            for call in Self.calls {
                let reply = border.connection.perform(call)
                #expect("\(reply)" == "\(PluginReply(to: call, .gone))")
            }
        }

        @Test func `a call survives serialisation, and a truncated or an unknown one is refused`()
            throws
        {
            for call in Self.calls {
                let bytes = Self.bytes(call)
                var reader = WireReader(bytes)
                #expect(Self.bytes(try reader.readPluginCall()) == bytes)
                for count in bytes.indices {
                    var reader = WireReader(Array(bytes.prefix(count)))
                    #expect(throws: WireError.self) { try reader.readPluginCall() }
                }
            }
            let numbers = Set(Self.calls.compactMap { Self.bytes($0).first })
            for number in UInt8.min...UInt8.max where !numbers.contains(number) {
                var reader = WireReader([number] + [UInt8](repeating: 0, count: 100))
                #expect(throws: WireError.self) { try reader.readPluginCall() }
            }
        }
    }
}

/// Plugins that record their calls, write into every answer, and return the status that the test sets.
enum RecordingPlugin {
    /// The first plugin has no extension, and the other plugins have the extensions of their kinds.
    static let kinds: [PluginKind] = [.shareSource, .shareSource, .preProcessor, .call]

    private static let state = Mutex<(calls: [String], status: gr_status)>(([], 0))

    /// Makes calls.
    ///
    /// - Returns: The arguments that the plugin got, and the reply, of each call.
    static func results(
        of calls: some Collection<PluginCall>, answering status: gr_status,
        _ perform: (PluginCall) -> PluginReply
    ) -> [String] {
        calls.map { call in
            state.withLock { $0 = ([], status) }
            let reply = perform(call)
            return "\(state.withLock { $0.calls }) \(reply.status) \(reply)"
        }
    }

    @discardableResult private static func record(_ call: String, _ values: Any...) -> gr_status {
        state.withLock { state in
            state.calls.append("\(call) \(values)")
            return state.status
        }
    }

    private static func text(_ offer: UnsafePointer<gr_offer>) -> String {
        let offer = offer.pointee
        let rows = (0..<Int(offer.row_count)).map { "\(offer.rows[$0])" }
        return "\(offer.revision) \(offer.rule) \(offer.reason) \(rows) \(offer.suggested)"
    }

    private static func write(_ answer: UnsafeMutablePointer<gr_answer>?) {
        answer?.pointee.kind = 2
        answer?.pointee.capability.width = 4711
    }

    /// Safe: the tables are never written again.
    nonisolated(unsafe) static let entry = leaked(
        gr_entry(
            struct_size: UInt32(MemoryLayout<gr_entry>.size), abi_major: UInt16(GR_ABI_MAJOR),
            abi_minor: UInt16(GR_ABI_MINOR), plugin_count: UInt32(kinds.count), reserved: 0,
            descriptor: { descriptors[Int($0)] },
            create: { index, _, plugin in
                plugin.pointee = plugins[Int(index)]
                return 0
            }))

    nonisolated(unsafe) private static let descriptors = kinds.enumerated().map { index, kind in
        leaked(
            gr_descriptor(
                struct_size: UInt32(MemoryLayout<gr_descriptor>.size), kind: kind.rawValue,
                id: leakedText("test.recording-\(index)"), name: leakedText("Recording\(index)"),
                version: leakedText("1"), summary: leakedText("records"), vendor: nil, url: nil,
                parameters: nil, parameter_count: 0, needs: 0))
    }

    nonisolated(unsafe) private static let plugins = kinds.indices.map { index in
        leaked(
            gr_plugin(
                struct_size: UInt32(MemoryLayout<gr_plugin>.size), reserved: 0,
                self: UnsafeMutableRawPointer(bitPattern: index + 1),
                destroy: { record("destroy", $0 as Any) },
                initialize: { own, input in
                    let input = input.pointee
                    write(input.answer)
                    // Each process has its own handles.
                    return record(
                        "initialize", own as Any, input.sender == 0, input.video == nil,
                        input.audio == nil, input.offer.map(text) as Any)
                },
                property_change: index == 0
                    ? nil
                    : { own, offer, answer in
                        write(answer)
                        return record("property-change", own as Any, text(offer))
                    },
                start_send: { record("start-send", $0 as Any) },
                stop_send: { record("stop-send", $0 as Any) },
                uninitialize: { record("uninitialize", $0 as Any) },
                get_extension: { own, id in
                    let (index, id) = (Int(bitPattern: own) - 1, String(cString: id))
                    record("get-extension", id)
                    let isOthers = id.contains("pre-processor") && !kinds[index].isFilter
                    return index == 0 || isOthers ? nil : extensions[id]
                }))
    }

    nonisolated(unsafe) private static let extensions: [String: UnsafeRawPointer] = [
        GR_EXT_LIVE_PARAMETERS: table(
            gr_live_parameters(struct_size: 0, reserved: 0) { own, setting in
                let (name, value) = (setting.pointee.name, setting.pointee.value)
                let text = value.string.map { String(cString: $0) }
                return record("set", String(cString: name), value.type, value.number, text as Any)
            }),
        GR_EXT_PRE_PROCESSOR: table(gr_pre_processor(struct_size: 0, reserved: 0) { _, _ in 0 }),
        GR_EXT_PRE_PROCESSOR_PROPERTY_CHANGE: table(
            gr_pre_processor_property_change(struct_size: 0, reserved: 0) { own, offer in
                record("frame-change", own as Any, text(offer))
            }),
        GR_EXT_OUTPUT: table(
            gr_output(
                struct_size: 0, reserved: 0,
                track: { own, track, want in
                    let track = track.pointee
                    let name = track.participant_name.map { String(cString: $0) }
                    let last = want.pointee
                    want.pointee.block_frames = 4711
                    return record(
                        "track", own as Any, track.id, track.kind, track.participant,
                        String(cString: track.name), name as Any, track.capability, last)
                },
                video: { _, _ in 0 }, audio: { _, _ in 0 },
                gone: { record("gone", $0 as Any, $1) })),
        GR_EXT_CALL: table(
            gr_call(struct_size: 0, reserved: 0) { own, demand in
                let (wanted, sender) = (demand.pointee.is_wanted, demand.pointee.sender)
                record(
                    "demand", own as Any, wanted, sender & ~HostInterface.runnerMark,
                    demand.pointee.capability)
            }),
        GR_EXT_CONTROL: table(
            gr_control(struct_size: 0, reserved: 0) { own, json in
                record("event", own as Any, String(cString: json))
            }),
    ]

    /// A table of functions with its size.
    private static func table<Table>(_ value: Table) -> UnsafeRawPointer {
        let table = UnsafeMutableRawPointer(mutating: leaked(value))
        table.storeBytes(of: UInt32(MemoryLayout<Table>.size), as: UInt32.self)
        return UnsafeRawPointer(table)
    }
}
