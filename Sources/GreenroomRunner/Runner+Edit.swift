import CLinux
import GreenroomABI
import GreenroomIPC
import GreenroomMedia
import GreenroomPluginInterface
import Synchronization

/// A filter in another process that waits for the frame which this process's filter edits.
struct NextFilter: Sendable {
    var input: FilterInput
    /// The number of the frame's pass.
    var pass: UInt32
}

extension Runner {
    /// Calls the plugin to edit a frame in the frames' memory, answers the host, and then tells the filter
    /// after it. [media]
    func edit(_ channel: Channel) {
        let place = channel.read(PassPlace.self, at: MessageLayout.place)
        let (length, isEdited) = edit(at: place, channel)
        channel.send(.return, length: length)
        tellNext(isEdited: isEdited)
    }

    /// - Returns: The length of the answer in the message, and whether the plugin has edited the frame.
    private func edit(at place: PassPlace, _ channel: Channel) -> (length: Int, isEdited: Bool) {
        guard let functions = state.withLock({ $0.functions }), let frames else {
            return (channel.answer(Status.gone), false)
        }
        if place.next != 0 {
            guard let page = memory(place.next), let input = FilterInput(in: page) else {
                return (channel.answer(Status(rawValue: EditAnswer.unmapped)), false)
            }
            next.withLock { $0 = NextFilter(input: input, pass: place.pass) }
        }
        var frame = channel.read(gr_mutable_frame.self, at: MessageLayout.subject)
        let planes = channel.read(SharedPlanes.self, at: MessageLayout.editedPlanes)
        if place.source != 0 {
            // Without a status: the plugin is not called.
            guard channel.waitForInput(of: place.pass) else { return (0, false) }
            guard let source = memory(place.source) else {
                return (channel.answer(Status(rawValue: EditAnswer.unmapped)), false)
            }
            let size = FrameSize(width: Int(frame.width), height: Int(frame.height))
            for index in 0..<PixelFormat.i420.planeCount {
                let (from, to) = (place.planes[index], planes[index])
                PixelFormat.i420.plane(index, of: size).copyRows(
                    from: source.base + Int(from.offset), Int(from.strideBytes),
                    to: frames.base + Int(to.offset), Int(to.strideBytes))
            }
        }
        frame.place(planes, in: frames)
        var status = Status.ok
        func process(_ frame: inout gr_mutable_frame) -> Status {
            status = functions.process(&frame)
            return status
        }
        if let probe {
            let length = probe.edit(&frame, in: planes, answer: channel, process)
            return (length, status == .ok)
        }
        let begun = greenroom_monotonic_now()
        _ = process(&frame)
        channel.write(
            EditAnswer(
                status: status.rawValue, nanoseconds: greenroom_monotonic_now() - begun))
        return (MemoryLayout<EditAnswer>.size, status == .ok)
    }

    /// Tells the filter that waits for this one's frame, unless it has been told, or none waits. Called, too,
    /// before the plugin calls the host while it edits: the host then sees to the frame. [media]
    func tellNext(isEdited: Bool) {
        guard let waiting = next.withLock({ $0.take() }) else { return }
        waiting.input.put(waiting.pass, isEdited: isEdited)
    }
}

extension PlaneGeometry {
    /// Copies an image of this geometry. Rows without padding are one.
    func copyRows(
        from: UnsafeRawPointer, _ fromStride: Int, to: UnsafeMutableRawPointer, _ toStride: Int
    ) {
        let isWhole = fromStride == rowBytes && toStride == rowBytes
        for row in 0..<(isWhole ? 1 : rows) {
            (to + row * toStride).copyMemory(
                from: from + row * fromStride, byteCount: isWhole ? rows * rowBytes : rowBytes)
        }
    }
}

extension Channel {
    /// Writes a status as the answer.
    ///
    /// - Returns: Its length.
    func answer(_ status: Status) -> Int {
        write(status.rawValue)
        return MemoryLayout<gr_status>.size
    }
}
