import GreenroomABI
import GreenroomMedia
import Synchronization
import Testing

/// What the fake host knows of an output.
struct FakeOutput {
    /// Whether the host has the extension of outputs.
    var isOutput = false
    /// The frame of the running callback.
    var current: UInt64?
    var kept: Set<UInt64> = []
    var released: [UInt64] = []
    var keepRefusals: [Status] = []
    var reports: [String] = []
    /// Ceilings, states, and that wants have changed, in words.
    var told: [String] = []
    /// The files that are complete.
    var files: [String] = []
}

extension FakeHost {
    static let output = Leaked(
        gr_output_host(
            struct_size: UInt32(MemoryLayout<gr_output_host>.size), reserved: 0,
            keep: { id, frame in FakeHost[id]?.keep(frame) ?? Status.gone.rawValue },
            release: { id, frame in
                FakeHost[id]?.state.withLock {
                    $0.output.kept.remove(frame)
                    $0.output.released.append(frame)
                }
                return Status.ok.rawValue
            },
            report: { id, name, value in
                let line = "\(String(cString: name)) \(value)"
                FakeHost[id]?.state.withLock { $0.output.reports.append(line) }
                return Status.ok.rawValue
            },
            set_ceiling: { id, track, ceiling, why in
                let limit = ceiling.map { ceiling in
                    let (value, rate) = (ceiling.pointee, ceiling.pointee.fps_numerator)
                    return "\(value.width)x\(value.height)@\(rate)/\(value.fps_denominator)"
                }
                let reason = why.map { String(cString: $0) } ?? "nothing"
                return told(id, "ceiling \(track) \(limit ?? "none"): \(reason)")
            },
            wants_changed: { id in told(id, "wants") },
            state: { id, state, text in
                told(id, "state \(state): \(text.map { String(cString: $0) } ?? "nothing")")
            }))

    static let files = Leaked(
        gr_files_host(
            struct_size: UInt32(MemoryLayout<gr_files_host>.size), reserved: 0,
            finished: { id, path in
                let path = String(cString: path)
                FakeHost[id]?.state.withLock { $0.output.files.append(path) }
                return Status.ok.rawValue
            }))

    private static func told(_ id: UInt64, _ words: String) -> gr_status {
        FakeHost[id]?.state.withLock { $0.output.told.append(words) }
        return Status.ok.rawValue
    }

    private func keep(_ frame: UInt64) -> gr_status {
        let status = state.withLock { state -> Status in
            if !state.output.keepRefusals.isEmpty { return state.output.keepRefusals.removeFirst() }
            guard state.output.current == frame else { return .badLease }
            state.output.kept.insert(frame)
            return .ok
        }
        return status == .ok ? status.rawValue : refuse(status, "keep")
    }
}

/// A frame as a host lends it to an output.
struct LentFrame {
    var track: UInt32 = 1
    var id: UInt64 = 1
    var content: UInt32 = 1
    var periods: UInt32 = 1
    var index: Int64 = 0
    var pts: Int64 = 0
}

extension FakeSession {
    func initializeOutput() -> Status {
        var input = gr_initialize(
            struct_size: UInt32(MemoryLayout<gr_initialize>.size), reserved: 0, sender: 0,
            video: nil, audio: nil, offer: nil, answer: nil)
        return Status(rawValue: plugin.pointee.initialize(plugin.pointee.`self`, &input))
    }

    private func table() throws -> gr_output {
        try #require(extensionTable(GR_EXT_OUTPUT))
            .assumingMemoryBound(to: gr_output.self).pointee
    }

    /// Describes a track; the want is at first what a host sets.
    func track(
        _ id: UInt32, kind: UInt32, _ name: String, _ capability: VideoCapability? = nil,
        participant: UInt32 = 0, edit: (inout gr_track, inout gr_want) -> Void = { _, _ in }
    ) throws -> (status: Status, want: gr_want) {
        var track = gr_track(
            struct_size: UInt32(MemoryLayout<gr_track>.size), id: id, kind: kind,
            participant: participant, name: cString(name),
            participant_name: participant == 0 ? nil : cString("Ana"),
            capability: capability.map { gr_capability($0) } ?? gr_capability())
        var want = gr_want()
        want.struct_size = UInt32(MemoryLayout<gr_want>.size)
        want.format = 1
        want.fit = 1
        want.pace = 1
        want.sample_rate_hz = 48_000
        want.channels = 2
        want.block_frames = 480
        edit(&track, &want)
        let status = try table().track(plugin.pointee.`self`, &track, &want)
        return (Status(rawValue: status), want)
    }

    func video(
        _ lent: LentFrame, _ pixels: FakeFrame, edit: (inout gr_output_frame) -> Void = { _ in }
    ) throws -> Status {
        let mutable = pixels.cFrame
        func plane(_ plane: gr_mutable_plane) -> gr_plane {
            gr_plane(
                data: UnsafePointer(plane.data), size_bytes: plane.size_bytes,
                stride_bytes: plane.stride_bytes, reserved: 0)
        }
        var frame = gr_output_frame()
        frame.struct_size = UInt32(MemoryLayout<gr_output_frame>.size)
        frame.track = lent.track
        frame.id = lent.id
        frame.content = lent.content
        frame.periods = lent.periods
        frame.index = lent.index
        frame.frame.struct_size = UInt32(MemoryLayout<gr_video_frame>.size)
        frame.frame.format = mutable.format
        frame.frame.width = mutable.width
        frame.frame.height = mutable.height
        frame.frame.plane_count = mutable.plane_count
        frame.frame.planes = (
            plane(mutable.planes.0), plane(mutable.planes.1), plane(mutable.planes.2)
        )
        frame.frame.info = mutable.info
        frame.frame.info.pts_ns = lent.pts
        edit(&frame)
        host.state.withLock { $0.output.current = lent.id }
        defer { host.state.withLock { $0.output.current = nil } }
        return Status(rawValue: try table().video(plugin.pointee.`self`, &frame))
    }

    func audio(
        _ samples: [Int16], _ format: AudioFormat = .session, track: UInt32 = 1, index: Int64 = 0,
        pts: Int64 = 0, edit: (inout gr_output_block) -> Void = { _ in }
    ) throws -> Status {
        let table = try table()
        return samples.withUnsafeBufferPointer { samples in
            var block = gr_output_block()
            block.struct_size = UInt32(MemoryLayout<gr_output_block>.size)
            block.track = track
            block.index = index
            block.block = gr_audio_block(
                struct_size: UInt32(MemoryLayout<gr_audio_block>.size),
                sample_rate_hz: UInt32(format.sampleRate), channels: UInt32(format.channels),
                frame_count: UInt32(samples.count / format.channels), samples: samples.baseAddress,
                size_bytes: UInt64(samples.count * 2), pts_ns: pts)
            edit(&block)
            return Status(rawValue: table.audio(plugin.pointee.`self`, &block))
        }
    }
}
