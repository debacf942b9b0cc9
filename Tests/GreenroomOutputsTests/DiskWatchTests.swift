import GreenroomMedia
import GreenroomModel
import Testing

@testable import GreenroomOutputs

@Suite struct DiskWatchTests {
    /// What is said while a disk is filled at an even rate, looked at every 5 seconds.
    private func warnings(
        free: Double, rate: Double, seconds: Double, duration: Double? = nil
    ) -> [(seconds: Double, text: String)] {
        var watch = DiskWatch()
        return stride(from: 0, through: seconds, by: 5).flatMap { now in
            watch.look(
                at: ["/a", "/b"], seconds: now, left: duration.map { $0 - now },
                space: { _ in DiskSpace(device: 1, freeBytes: free - rate * now) }
            ).map { (now, $0.text) }
        }
    }

    @Test func `there is a warning ten minutes before a disk is full, and one minute before`() {
        let found = warnings(free: 900e6, rate: 1e6, seconds: 890)
        #expect(found.map(\.seconds) == [305, 845], "\(found)")
        #expect(found.first?.text.contains("9 min 55 s") == true, "\(found)")
        #expect(found.last?.text.contains("55 MB are free") == true, "\(found)")
    }

    @Test func `a disk that lasts as long as the session causes no warning`() {
        #expect(warnings(free: 900e6, rate: 1e6, seconds: 800, duration: 850).isEmpty)
        #expect(warnings(free: 900e6, rate: 1e6, seconds: 800, duration: 1000).count == 1)
    }

    @Test func `a disk that does not fill causes no warning`() {
        #expect(warnings(free: 1e6, rate: 0, seconds: 600).isEmpty)
        #expect(warnings(free: 1e6, rate: -1000, seconds: 600).isEmpty)
    }

    @Test func `after space was freed, the disk is watched again`() {
        var watch = DiskWatch()
        let free = { (now: Double) in now < 100 ? 100e6 - now * 1e6 : 10e9 - (now - 100) * 20e6 }
        var found: [Double] = []
        for now in stride(from: 0.0, through: 590, by: 5) {
            let said = watch.look(
                at: ["/a"], seconds: now, left: nil,
                space: { _ in DiskSpace(device: 1, freeBytes: free(now)) })
            found += said.map { _ in now }
        }
        // Early, since the disk is nearly full from the start; then as the second filling nears its end.
        #expect(found.first == 10 && found.filter { $0 > 100 }.count == 2, "\(found)")
    }

    @Test(
        arguments: [
            (0, "0 s"), (59.9, "59 s"), (60, "1 min"), (290, "4 min 50 s"), (3600, "1 h"),
            (11_100, "3 h 5 min"), (.infinity, "277777 h 46 min"),
        ] as [(Double, String)])
    func `the time until a disk is full has at most two units`(seconds: Double, words: String) {
        #expect(DiskWatch.words(ofSeconds: seconds) == words)
    }

    @Test(
        arguments: [
            (0, "0 MB"), (1.24e6, "1.2 MB"), (999e6, "999 MB"), (12.5e9, "12.5 GB"),
            (149.3e9, "149 GB"), (2e12, "2 TB"),
        ] as [(Double, String)])
    func `an amount of disk space has at most three digits`(bytes: Double, words: String) {
        #expect(DiskUse.words(ofBytes: bytes) == words)
    }

    @Test func `a raw recording's disk use is exact, and a media file's is an estimate`() throws {
        let tracks = DiskUse.Tracks(
            video: [.camera: VideoCapability(width: 1280, height: 720, fps: 30)], audio: 1)
        let pixels: Double = 1280 * 720 * 30
        let folder = try #require(Recording(folder: "/nowhere/x").diskUse(of: tracks))
        let raw = pixels * 1.5 + 192_000
        #expect(folder.bytesPerSecond == raw)
        let file = try #require(FileRecording(file: "/nowhere/x.mkv")?.diskUse(of: tracks))
        let encoded = (pixels * 0.08 + 128_000) / 8
        #expect(file.folder == "/nowhere" && file.bytesPerSecond == encoded)
        // The nearest folder that is there says what is free.
        let space = try #require(DiskSpace(of: "/nowhere/x"))
        // Other tests write meanwhile.
        #expect(space.device == DiskSpace(of: "/")?.device && space.freeBytes > 0)
        let needs = DiskUse(folder: "/", bytesPerSecond: 1e15)
        #expect(needs.shortage(for: .seconds(1))?.contains("full after 0 s") == true)
        #expect(DiskUse(folder: "/", bytesPerSecond: 1).shortage(for: .seconds(1)) == nil)
    }
}
