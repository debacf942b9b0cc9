import Glibc
import GreenroomABI
import GreenroomIPC
import GreenroomConversion
import GreenroomLifecycle
import GreenroomMedia
import GreenroomPluginInterface

/// Serves the calls of a runner as if the plugin were in the host's process.
///
/// A runner can use only its plugin's instance and senders.
struct HostService {
    let connection: RunnerConnection
    let channel: Channel

    /// Serves a call.
    ///
    /// - Returns: The length of the answer in the message; nil if the call is unknown, or the runner is
    ///   lost.
    func serve(_ call: RemoteCall, _ length: Int) -> Int? {
        guard let function = HostFunction(rawValue: call.rawValue) else { return nil }
        let facts = function.facts
        if facts.writesLine { connection.countLines(1) }
        return channel.serve(function, length: length) { call, unused in
            if facts.handle == .sender {
                call.handle = allowed(call.handle)
            } else if call.handle != connection.context.handle {
                call.handle = 0
            }
            if facts.namesSender { call.numbers.0 = allowed(call.numbers.0) }
            guard let observer = connection.observer else { return perform(&call, unused) }
            return observer.serve(&call, on: channel, frames: connection.frames) {
                perform(&$0, unused)
            }
        }
    }

    /// The sender, or 0 if the plugin may not use it.
    private func allowed(_ sender: UInt64) -> UInt64 { connection.mayUse(sender) ? sender : 0 }

    /// - Parameter unused: The lease of a lent frame that the plugin does not use; 0 if none.
    private func perform(_ call: inout HostCall, _ unused: UInt64) -> gr_status? {
        if unused != 0 { HostCalls.takeBack(unused, lentTo: call.handle) }
        let status: gr_status?
        switch call.function {
        case .videoSend: status = send(call)
        case .videoCommit: status = commit(call)
        default:
            status = HostCalls.perform(call)
            if status == Status.ok.rawValue { return pass(resultsOf: call) }
        }
        switch call.function {
        case .videoSend, .videoAcquire, .videoCommit, .videoAbandon, .audioSend:
            if status == Status.gone.rawValue { connection.warnOfDeadSender() }
        default: break
        }
        return status
    }

    /// Passes the results of an accepted call that have another form in the plugin's process.
    private func pass(resultsOf call: HostCall) -> gr_status {
        switch call.function {
        case .videoAcquire:
            guard let lease = call.value(of: gr_lease.self), let frames = connection.frames
            else { break }
            channel.write(
                SharedPlanes(of: lease.pointee.frame, in: frames), at: MessageLayout.leasedPlanes)
            lease.pointee.frame.clearAddresses()
        case .openTrack:
            if let track = call.value(of: gr_open_track.self) {
                connection.add(trackSender: track.pointee.sender)
            }
        default:
            guard let place = call.function.facts.descriptorOffset,
                let value = UnsafeMutableRawPointer(bitPattern: call.valueAddress)
            else { break }
            // First send the descriptor, then the answer with its number.
            let descriptor = value.loadUnaligned(fromByteOffset: place, as: Int32.self)
            let number = connection.handOver(descriptor)
            close(descriptor)
            guard let number else { return Status.failed.rawValue }
            value.storeBytes(of: number, toByteOffset: place, as: UInt32.self)
        }
        return Status.ok.rawValue
    }

    // MARK: Frames

    private func send(_ call: HostCall) -> gr_status? {
        connection.countFrame()
        let state = connection.channels.senderState
        var isLost = false
        let (status, form) = HostCalls.send(call, in: call.numbers.0) { copy, _ in
            guard let frames = connection.frames else { return false }
            channel.write(SharedPlanes(of: copy, in: frames))
            isLost = channel.call(.copyPlanes, length: MemoryLayout<SharedPlanes>.size) == nil
            return !isLost
        }
        guard !isLost else { return nil }
        lend(like: form, converts: true, to: call.handle, since: state)
        return status
    }

    private func commit(_ call: HostCall) -> gr_status {
        connection.countFrame()
        let state = connection.channels.senderState
        let (status, form) = HostCalls.commit(call)
        lend(like: form, converts: false, to: call.handle, since: state)
        return status
    }

    /// Lends the next frame in the answer to a frame.
    ///
    /// - Parameters:
    ///   - form: The form of the frame; nil to lend none.
    ///   - converts: Whether the plugin's process may convert the next frame's pixels.
    ///   - state: The sender's state before the answer was decided. A later change invalidates the
    ///     lent frame.
    private func lend(
        like form: FrameForm?, converts: Bool, to sender: UInt64, since state: SenderState
    ) {
        var message = GrantMessage(
            lease: gr_lease(), planes: SharedPlanes(), state: state.rawValue,
            filling: GrantFilling())
        // An observer counts leases; the tracks of a call share their frames.
        if connection.observer == nil, sender == connection.sender,
            let frames = connection.frames, let form, !form.format.isCompressed,
            let (lease, conversion) = HostCalls.grant(sender, like: form, converts: converts)
        {
            message.planes = SharedPlanes(of: lease.frame, in: frames)
            message.lease = lease
            message.lease.frame.clearAddresses()
            if let conversion { message.filling = GrantFilling(by: conversion) }
        }
        channel.write(message, at: MessageLayout.value)
    }
}

extension gr_mutable_frame {
    /// Clears the host's addresses, which are useless in another process. The plugin receives the
    /// offsets of the planes.
    mutating func clearAddresses() {
        planes.0.data = nil
        planes.1.data = nil
        planes.2.data = nil
    }
}

extension GrantFilling {
    /// Describes a frame that a conversion fills.
    init(by conversion: EarlyConversion) {
        self.init(
            format: conversion.form.format.rawValue, weights: conversion.weights)
    }
}

extension SharedPlanes {
    /// The planes of a frame that the plugin may write to.
    init(of frame: gr_mutable_frame, in frames: SharedMemory) {
        self.init(of: gr_video_frame(frame), in: frames)
    }

    /// The planes of a frame that the plugin may read.
    init(of frame: gr_video_frame, in frames: SharedMemory) {
        self.init()
        let planes: InlineArray<3, gr_plane> = [
            frame.planes.0, frame.planes.1, frame.planes.2,
        ]
        for index in 0..<min(planes.count, Int(clamping: frame.plane_count)) {
            let plane = planes[index]
            guard let data = plane.data else { continue }
            self[index] = SharedPlane(
                offset: UInt64(UnsafeRawPointer(data) - UnsafeRawPointer(frames.base)),
                strideBytes: UInt64(plane.stride_bytes), byteCount: plane.size_bytes)
        }
    }

    /// The planes that the plugin's process must fill.
    init(of frame: borrowing VideoFrame, in frames: SharedMemory) {
        self.init()
        for index in 0..<frame.planeCount {
            self[index] = SharedPlane(
                offset: UInt64(
                    UnsafeRawPointer(frame.unsafePlanePointer(index))
                        - UnsafeRawPointer(frames.base)),
                strideBytes: UInt64(frame.strideBytes(index)),
                byteCount: UInt64(frame.byteCount(index)))
        }
    }
}
