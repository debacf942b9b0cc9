import GreenroomConversion
import GreenroomHarness
import GreenroomMedia
import Testing

@Suite struct LeaseWatchTests {
    private static let size = FrameSize(width: 64, height: 64)

    /// A frame of one plane at an offset.
    private func lend(_ id: UInt64, to watch: LeaseWatch, at offset: Int = 4096) -> LeaseWatch.Lease
    {
        watch.lend(
            id, .bgra, Self.size,
            planes: [LeaseWatch.Plane(offset: offset, strideBytes: 256, byteCount: 16384)],
            slot: offset / 65536)
    }

    private func watch(_ filling: LeaseWatch.Filling) -> LeaseWatch {
        LeaseWatch(guarding: FrameGuarding(), isClosed: false, filling: filling)
    }

    @Test func `256 frames have 256 different fillings and guard bytes`() {
        let watch = watch(.from(7))
        let leases = (1...256).map { lend($0, to: watch) }
        #expect(leases[0].filling == 7)
        #expect(Set(leases.map(\.filling)).count == 256)
        #expect(leases.allSatisfy { $0.guardByte != $0.filling })
        #expect(watch.count == 256)
    }

    @Test func `a fixed filling is constant`() {
        let watch = watch(.same(128))
        #expect((1...3).map { lend($0, to: watch).filling } == [128, 128, 128])
    }

    @Test func `a frame is returned once`() {
        let watch = watch(.from(0))
        let lent = lend(5, to: watch)
        #expect(watch.lease(inSlot: 0) == lent)
        #expect(watch.takeBack(4) == nil)
        #expect(watch.takeBack(5)?.isHeld == false)
        #expect(watch.takeBack(5) == nil)
        #expect(watch.lease(inSlot: 0)?.isHeld == false)
    }

    @Test func `a byte belongs to the nearest frame`() {
        let watch = watch(.from(0))
        _ = lend(1, to: watch)
        _ = lend(2, to: watch, at: 65536 + 4096)
        #expect(watch.lease(near: 0)?.id == 1)
        #expect(watch.lease(near: 4096 + 16384)?.id == 1)
        #expect(watch.lease(near: 65536)?.id == 2)
        #expect(watch.lease(near: 1 << 40)?.id == 2)
    }

    @Test func `a new instance has no leases`() {
        let watch = watch(.from(0))
        _ = lend(1, to: watch)
        watch.begin(base: 0x7000, byteCount: 0x1000)
        #expect(watch.lease(inSlot: 0) == nil)
        #expect(watch.takeBack(1) == nil)
    }

    @Test func `an address is inside or outside the frames' memory`() {
        let watch = watch(.from(0))
        #expect(watch.offset(of: 0) == nil)
        watch.begin(base: 0x7000, byteCount: 0x1000)
        #expect(watch.offset(of: 0x6fff) == nil)
        #expect(watch.offset(of: 0x7000) == 0)
        #expect(watch.offset(of: 0x7fff) == 0xfff)
        #expect(watch.offset(of: 0x8000) == nil)
        // The process may report any address.
        watch.begin(base: .max, byteCount: 0x1000)
        #expect(watch.offset(of: .max) == nil)
    }

    @Test func `the first spill is kept`() {
        let watch = watch(.from(0))
        let lent = lend(1, to: watch)
        for count in [3, 9] {
            watch.note(LeaseWatch.Spill(lease: lent, plane: 0, byteCount: count, isAfter: true))
        }
        #expect(watch.spill?.byteCount == 3)
    }
}
