import GreenroomPlugin
import Synchronization
import Testing

@Suite struct SenderTests {
    /// A sending source, and its sender.
    private func sending() throws -> (session: FakeSession, sender: VideoSender) {
        let host = FakeHost()
        let session = try FakeSession(
            "source", of: testEntry, settings: [("host", .integer(Int64(host.id)))], host: host)
        #expect(session.initializeVideo(revision: 7) == .ok)
        #expect(session.startSend() == .ok)
        return (session, try #require(Kept.video.withLock { $0[Int(host.id)] }))
    }

    private func refusal(_ body: () throws(SendRefusal) -> Void) -> Status? {
        do throws(SendRefusal) {
            try body()
            return nil
        } catch {
            #expect(error.text.contains("(\(error.status))"), "the host's words are missing")
            return error.status
        }
    }

    private func video(_ session: FakeSession) -> FakeVideo {
        session.host.state.withLock { $0.video }
    }

    @Test(arguments: [
        (PixelFormat.i420, 5, 3), (.nv12, 4, 2), (.yuy2, 5, 1), (.bgra, 2, 2), (.rgb24, 3, 3),
        (.p010, 3, 3),
    ])
    func `a frame in one buffer is sent as the planes of its format`(
        format: PixelFormat, width: Int, height: Int
    ) throws {
        let (session, sender) = try sending()
        let size = FrameSize(width: width, height: height)
        let bytes = (0..<format.packedByteCount(of: size)).map { UInt8(truncatingIfNeeded: $0) }
        try sender.sendVideoFrame(
            (bytes + [1, 2, 3]).span.bytes, width: width, height: height,
            dataLength: bytes.count, rotation: .quarter, format: format, color: .bt709Full,
            ptsNanoseconds: 99)
        let frame = try #require(video(session).sent.first)
        #expect(frame.planes.flatMap { $0 } == bytes)
        #expect(
            frame.info
                == FrameInfo(
                    rotation: .quarter, color: .bt709Full, offerRevision: 7, ptsNanoseconds: 99))
    }

    @Test(arguments: [PixelFormat.i420, .nv12, .bgra])
    func `a frame in an array or behind a pointer is sent like a span`(format: PixelFormat) throws {
        let (session, sender) = try sending()
        let size = FrameSize(width: 5, height: 3)
        let bytes = (0..<format.packedByteCount(of: size)).map { UInt8(truncatingIfNeeded: $0) }
        try sender.sendVideoFrame(bytes.span.bytes, width: 5, height: 3, format: format)
        try sender.sendVideoFrame(bytes, width: 5, height: 3, format: format)
        try bytes.withUnsafeBytes { buffer in
            try sender.sendVideoFrame(buffer, width: 5, height: 3, format: format)
        }
        let sent = video(session).sent
        #expect(sent.map(\.planes) == Array(repeating: sent[0].planes, count: 3))
        #expect(sent[0].planes.flatMap { $0 } == bytes)
        let short = refusal { () throws(SendRefusal) in
            try sender.sendVideoFrame(
                Array(bytes.dropLast()), width: 5, height: 3, format: format)
        }
        #expect(short == .badLength)
    }

    @Test func `a JPEG image is one plane of its own length`() throws {
        let (session, sender) = try sending()
        let image: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
        try sender.sendVideoFrame(image.span.bytes, width: 8, height: 8, format: .mjpeg)
        #expect(video(session).sent.map(\.planes) == [[image]])
    }

    @Test func `planes may be anywhere, with any stride`() throws {
        let (session, sender) = try sending()
        let y: [UInt8] = [1, 2, 3, 0, 4, 5, 6]
        let u: [UInt8] = [7, 8]
        let v: [UInt8] = [9, 10, 0]
        try sender.send(
            format: .i420, size: FrameSize(width: 3, height: 2),
            planes: FramePlanes(
                y: FramePlanes.Plane(y.span.bytes, strideBytes: 4),
                u: FramePlanes.Plane(u.span.bytes, strideBytes: 2),
                v: FramePlanes.Plane(v.span.bytes, strideBytes: 2)))
        #expect(video(session).sent.map(\.planes) == [[[1, 2, 3, 4, 5, 6], [7, 8], [9, 10]]])
    }

    @Test func `inconsistent sizes are refused, and never read beyond the end`() throws {
        let (_, sender) = try sending()
        let few: [UInt8] = [1, 2, 3]
        let plane = { (stride: Int) in stride }
        #expect(
            refusal { () throws(SendRefusal) in
                try sender.sendVideoFrame(few.span.bytes, width: 4, height: 4)
            } == .badLength)
        #expect(
            refusal { () throws(SendRefusal) in
                try sender.sendVideoFrame(few.span.bytes, width: 4, height: 4, dataLength: -1)
            } == .badLength)
        for (width, height) in [(0, 4), (-4, 4), (.max, .max), (.min, 1), (8193, 1)] {
            #expect(
                refusal { () throws(SendRefusal) in
                    try sender.sendVideoFrame(few.span.bytes, width: width, height: height)
                } == .badSize)
        }
        let size = FrameSize(width: 3, height: 1)
        #expect(
            refusal { () throws(SendRefusal) in
                try sender.send(
                    format: .i420, size: size,
                    planes: FramePlanes(FramePlanes.Plane(few.span.bytes, strideBytes: plane(3))))
            } == .badPlanes)
        #expect(
            refusal { () throws(SendRefusal) in
                try sender.send(
                    format: .bgra, size: size,
                    planes: FramePlanes(FramePlanes.Plane(few.span.bytes, strideBytes: -12)))
            } == .badStride)
    }

    @Test func `a lease is drawn by row without touching the padding, and committed`() throws {
        let (session, sender) = try sending()
        var lease = try sender.acquire(format: .i420, size: FrameSize(width: 5, height: 3))
        #expect(lease.strideBytes(ofPlane: 0) == 5 + 32)
        #expect(lease.strideBytes(ofPlane: 3) == 0)
        for y in 0..<3 {
            var row = lease.row(y)
            for x in row.indices { row[x] = UInt8(10 * y + x) }
        }
        lease.fill(plane: 1, with: 1)
        lease.fill(plane: 2, with: 2)
        for (row, plane) in [(3, 0), (-1, 0), (0, 3), (.max, -1)] {
            let count = lease.row(row, ofPlane: plane).count
            #expect(count == 0)
        }
        for (plane, bytes) in [(0, 37 * 3), (-1, 0), (3, 0)] {
            let count = lease.plane(plane).byteCount
            #expect(count == bytes)
        }
        try lease.commit(FrameInfo(rotation: .half, offerRevision: 3, ptsNanoseconds: 5))
        let frame = try #require(video(session).committed.first)
        #expect(frame.planes[0] == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24])
        #expect(frame.planes[1] == [UInt8](repeating: 1, count: 6))
        #expect(frame.planes[2] == [UInt8](repeating: 2, count: 6))
        #expect(frame.isPaddingIntact)
        #expect(
            frame.info == FrameInfo(rotation: .half, offerRevision: 3, ptsNanoseconds: 5))
        #expect(video(session).abandoned == 0)
    }

    @Test func `an abandoned or dropped lease is returned once`() throws {
        let (session, sender) = try sending()
        let size = FrameSize(width: 8, height: 8)
        let lease = try sender.acquire(format: .nv12, size: size)
        lease.abandon()
        #expect(video(session).abandoned == 1)
        do { _ = try sender.acquire(format: .nv12, size: size) }
        #expect(video(session).abandoned == 2)
        #expect(video(session).leased.isEmpty)
        #expect(video(session).committed.isEmpty)
    }

    @Test func `a refused commit also ends the lease`() throws {
        let (session, sender) = try sending()
        let lease = try sender.acquire(format: .nv12, size: FrameSize(width: 8, height: 8))
        session.host.state.withLock { $0.video.refusals = [.badTimestamp] }
        do throws(SendRefusal) {
            try lease.commit()
            Issue.record("it was taken")
        } catch {
            #expect(error.status == .badTimestamp)
        }
        #expect(video(session).leased.isEmpty)
        #expect(video(session).abandoned == 0)
    }

    @Test func `a sender refuses frames with the status of its state`() throws {
        let host = FakeHost()
        let session = try FakeSession(
            "source", of: testEntry, settings: [("host", .integer(Int64(host.id)))], host: host)
        #expect(session.initializeVideo() == .ok)
        let sender = try #require(Kept.video.withLock { $0[Int(host.id)] })
        let bytes = [UInt8](repeating: 0, count: 6)
        let send = { () throws(SendRefusal) in
            try sender.sendVideoFrame(bytes.span.bytes, width: 2, height: 2)
        }
        let acquire = { () throws(SendRefusal) in
            _ = try sender.acquire(format: .i420, size: FrameSize(width: 2, height: 2))
        }
        #expect(refusal(send) == .notStarted)
        #expect(refusal(acquire) == .notStarted)
        #expect(session.startSend() == .ok)
        #expect(refusal(send) == nil)
        #expect(refusal(acquire) == nil)
        session.stopSend()
        #expect(refusal(send) == .stopped)
        #expect(refusal(acquire) == .stopped)
        session.uninitialize()
        session.destroy()
        #expect(refusal(send) == .gone)
        #expect(refusal(acquire) == .gone)
    }

    @Test func `a missing buffer and a wrong format are different errors`() throws {
        let (session, sender) = try sending()
        session.host.state.withLock { $0.video.capacity = 0 }
        let size = FrameSize(width: 2, height: 2)
        #expect(
            refusal { () throws(SendRefusal) in
                _ = try sender.acquire(format: .i420, size: size)
            } == .noBuffer)
        #expect(
            refusal { () throws(SendRefusal) in
                _ = try sender.acquire(format: .mjpeg, size: size)
            } == .badFormat)
    }

    @Test func `audio is sent with its format, timestamp and timeout`() throws {
        let host = FakeHost()
        let session = try FakeSession(
            "mic", of: testEntry, settings: [("host", .integer(Int64(host.id)))], host: host)
        #expect(session.initializeAudio() == .ok)
        #expect(session.startSend() == .ok)
        let sender = try #require(Kept.audio.withLock { $0[Int(host.id)] })
        let samples: [Int16] = [1, 2, 3, 4]
        let stereo = AudioFormat(sampleRate: 44_100, channels: 2)
        try sender.send(samples.span, format: stereo)
        try sender.send(
            samples.span, format: AudioFormat(sampleRate: 8_000, channels: 1),
            ptsNanoseconds: 5, timeout: .nanoseconds(7))
        try sender.send(samples.span, format: stereo, timeout: .none)
        try sender.send(samples, format: stereo)
        try samples.withUnsafeBufferPointer { buffer in try sender.send(buffer, format: stereo) }
        let blocks = host.state.withLock { $0.blocks }
        #expect(blocks.map(\.frames) == [2, 4, 2, 2, 2])
        #expect(blocks.map(\.pts) == [.min, 5, .min, .min, .min])
        #expect(blocks.map(\.timeout) == [-1, 7, 0, -1, -1])
        #expect(blocks.map(\.sampleRate) == [44_100, 8_000, 44_100, 44_100, 44_100])
        #expect(blocks.allSatisfy { $0.samples == samples })

        host.state.withLock { $0.audioRefusals = [.queueFull] }
        let refused = refusal { () throws(SendRefusal) in
            try sender.send(samples.span, format: stereo)
        }
        #expect(refused == .queueFull)
        let odd = refusal { () throws(SendRefusal) in
            try sender.send(samples.span, format: AudioFormat(sampleRate: -1, channels: .max))
        }
        #expect(odd == .badBlock)
    }
}
