import GreenroomModel
import GreenroomABI
import GreenroomConversion
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomRuntime
@testable import GreenroomVideo
import Testing

@testable import GreenroomLifecycle

/// Frames that the host lends to another process before it asks.
@Suite struct LeaseGrantTests {
    private let clock = SessionClock()
    private let pool = FramePool(limit: 6)
    private let track: VideoTrackInput
    private let ingest: VideoIngest
    private let size = FrameSize(width: 64, height: 48)

    init() {
        track = VideoTrackInput(clock: clock)
        ingest = VideoIngest(pool: pool, track: track, clock: clock)
        ingest.offered(revision: 3)
        ingest.agreed(revision: 3)
        ingest.follow(.sending)
    }

    private var info: gr_frame_info {
        gr_frame_info(
            struct_size: UInt32(MemoryLayout<gr_frame_info>.size), rotation: 0, range: 1, matrix: 1,
            offer_revision: 3, reserved: 0, pts_ns: .min)
    }

    /// A frame without pixels: the host does not look at them.
    private func frame(_ size: FrameSize) -> gr_video_frame {
        let (width, height) = (UInt32(size.width), UInt32(size.height))
        var frame = gr_video_frame()
        frame.struct_size = UInt32(MemoryLayout<gr_video_frame>.size)
        frame.format = PixelFormat.i420.rawValue
        (frame.width, frame.height, frame.plane_count) = (width, height, 3)
        func plane(_ width: UInt32, _ height: UInt32) -> gr_plane {
            gr_plane(
                data: UnsafePointer(bitPattern: 4096), size_bytes: UInt64(width * height),
                stride_bytes: width, reserved: 0)
        }
        frame.planes.0 = plane(width, height)
        frame.planes.1 = plane(width / 2, height / 2)
        frame.planes.2 = frame.planes.1
        frame.info = info
        return frame
    }

    private func grant() -> gr_lease? {
        ingest.grant(like: FrameForm(.i420, size, FrameInfo()))?.lease
    }

    private func send(_ size: FrameSize, in lease: UInt64) throws(Refusal) {
        var frame = frame(size)
        try ingest.send(&frame, in: lease) { _, _ in
            Issue.record("the pixels are there")
            return false
        }
    }

    private func acquire() throws(Refusal) -> UInt64 {
        var lease = gr_lease()
        lease.struct_size = UInt32(MemoryLayout<gr_lease>.size)
        try ingest.acquire(
            format: PixelFormat.i420.rawValue, width: 64, height: 48, lease: &lease)
        return lease.id
    }

    @Test func `a sending process is lent one frame in advance`() throws {
        let lease = try #require(grant())
        #expect(lease.frame.width == 64 && lease.frame.info.offer_revision == 3)
        #expect(grant() == nil, "the process has one")
        var info = info
        #expect(try ingest.commit(lease.id, info: &info).size == size)
        let counts = ingest.counts
        #expect(counts.accepted == 1 && counts.leased == 1 && counts.bytesCopied == 0)
        #expect(grant() != nil)
    }

    @Test func `a frame that is sent in lent memory is counted as copied`() throws {
        let lease = try #require(grant())
        try send(size, in: lease.id)
        let counts = ingest.counts
        #expect(counts.accepted == 1 && counts.leased == 0)
        // With the padding of 32 bytes between rows of chroma.
        #expect(counts.bytesCopied == 64 * 48 + 2 * (64 * 23 + 32))
    }

    @Test func `a process may convert a frame into lent memory only as the host would`() throws {
        let form = FrameForm(.bgra, size, FrameInfo())
        let conversion = try #require(EarlyConversion(of: form, to: .bt601Full))
        track.offer(conversion)
        // A lease is filled by the plugin itself.
        #expect(try #require(ingest.grant(like: form)).conversion == nil)
        ingest.begin(pool: nil)
        let (lease, filled) = try #require(ingest.grant(like: form, converts: true))
        #expect(filled == conversion && lease.frame.format == PixelFormat.i420.rawValue)
        var bgra = frame(size)
        bgra.format = PixelFormat.bgra.rawValue
        bgra.plane_count = 1
        bgra.planes.0.size_bytes = 4 * 64 * 48
        bgra.planes.0.stride_bytes = 4 * 64
        let sent = try ingest.send(&bgra, in: lease.id) { _, _ in false }
        #expect(sent == form && ingest.counts.bytesCopied == 0)
        // Of another matrix the host would have made something else.
        let next = try #require(ingest.grant(like: form, converts: true)).lease
        bgra.info.matrix = ColorMatrix.bt709.rawValue
        #expect(throws: Refusal.self) {
            try ingest.send(&bgra, in: next.id) { _, _ in false }
        }
        #expect(ingest.counts.refused[.badLease] == 1)
        track.close()
        guard case .frame(let queued) = track.next(after: VideoTrack.Progress()) else {
            Issue.record("no frame")
            return
        }
        #expect(queued.sentAs == form && queued.frame.info.color == .bt601Full)
    }

    @Test func `a frame is refused unless its lease was granted for its size`() throws {
        let asked = try acquire()
        let lent = try #require(grant()).id
        for (size, lease) in [
            (size, asked), (size, 77), (FrameSize(width: 32, height: 48), lent),
        ] {
            #expect(throws: Refusal.self) { try send(size, in: lease) }
        }
        // The one of another size went back, the one that was asked for is still lent.
        #expect(pool.aliveCount == 1)
        #expect(ingest.counts.refused[.badLease] == 3)
    }

    @Test func `a process can return only the lease that it was lent in advance`() throws {
        let lent = try #require(grant()).id
        let asked = try acquire()
        for lease in [0, asked, 1000] { ingest.takeBack(granted: lease) }
        #expect(pool.aliveCount == 2)
        ingest.takeBack(granted: lent)
        #expect(pool.aliveCount == 1)
        let other = try #require(grant()).id
        ingest.follow(.stopped)
        ingest.takeBack(granted: other)
        #expect(pool.aliveCount == 1)
    }

    @Test func `a frame in progress at a stop is not counted, and later frames are refused`()
        throws
    {
        var info = info
        for _ in 1...2 {
            let drawn = try acquire()
            ingest.follow(.stopped)
            #expect(throws: Refusal.self) { try ingest.commit(drawn, info: &info) }
            ingest.follow(.sending)
        }
        #expect(ingest.counts.sent == 0 && ingest.counts.refused.refused == 0)
        ingest.follow(.stopped)
        for _ in 1...3 { #expect(throws: Refusal.self) { try send(size, in: 0) } }
        #expect(ingest.counts.sent == 2 && ingest.counts.refused[.stopped] == 2)
    }

    @Test func `no frame is lent in advance by a stopped sender or a nearly empty pool`() throws {
        ingest.follow(.stopped)
        #expect(grant() == nil)
        ingest.follow(.sending)
        for _ in 0..<5 { _ = try acquire() }
        // The last one is for a frame of another kind.
        #expect(grant() == nil)
        ingest.begin(pool: nil)
        #expect(pool.aliveCount == 0)
        #expect(grant() != nil)
    }
}
