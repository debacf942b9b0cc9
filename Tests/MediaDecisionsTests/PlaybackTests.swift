import MediaDecisions
import Testing

/// The position of a file as a function of time. Times and positions are seconds here.
@Suite struct PlaybackTests {
    private static func nanoseconds(_ seconds: Double) -> Int64 { seconds.nanoseconds }

    /// What happens at a time.
    enum Step {
        case seek(Double)
        case change((inout PlaybackControls) -> Void)
    }

    /// Expects positions, and the numbers of the legs they are in.
    private func expect(
        _ controls: PlaybackControls = PlaybackControls(), length: Double? = 10,
        from position: Double = 0, steps: [(at: Double, step: Step)] = [],
        places: [(at: Double, position: Double, leg: Int, stands: Bool)],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        // The session's clock begins anywhere.
        let begin = Self.nanoseconds(1000)
        var playback = Playback(
            controls, length: length.map(Self.nanoseconds), from: Self.nanoseconds(position),
            at: begin)
        var steps = steps
        for place in places {
            while let (time, step) = steps.first, time <= place.at {
                steps.removeFirst()
                let time = begin + Self.nanoseconds(time)
                switch step {
                case .seek(let target): playback.seek(to: Self.nanoseconds(target), at: time)
                case .change(let edit):
                    var controls = playback.controls
                    edit(&controls)
                    playback.change(to: controls, at: time)
                }
            }
            let found = playback.place(at: begin + Self.nanoseconds(place.at))
            #expect(
                found.position == Self.nanoseconds(place.position) && found.leg.number == place.leg
                    && found.stands == place.stands, "at \(place.at) s: \(found)",
                sourceLocation: sourceLocation)
            #expect(
                found.leg.start <= found.position && found.position <= found.leg.end,
                "\(found)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a file repeats without a gap, each time as a separate leg`() {
        expect(places: [
            (0, 0, 0, false), (9.999, 9.999, 0, false), (10, 0, 1, false), (25, 5, 2, false),
            (86_400_000, 0, 8_640_000, false),
        ])
    }

    @Test func `repetitions play from the set start to the set end`() {
        expect(
            PlaybackControls(start: 2_000_000_000, end: 5_000_000_000),
            places: [(0, 2, 0, false), (2.5, 4.5, 0, false), (3, 2, 1, false), (7, 3, 2, false)])
        // An end behind the file's is the file's.
        expect(
            PlaybackControls(start: 8_000_000_000, end: 50_000_000_000),
            places: [(0, 8, 0, false), (2, 8, 1, false)])
    }

    @Test func `without repetitions the last frame stays`() {
        expect(
            PlaybackControls(loops: false),
            places: [(9.9, 9.9, 0, false), (10, 10, 0, true), (100, 10, 0, true)])
    }

    @Test(arguments: [
        (false, 10.0, 9.9, false), (false, 10, 10, true), (true, 10, 30, false),
        // A single picture does not end.
        (false, 0.04, 5, false),
    ])
    func `only a file without repetitions is over at its end`(
        loops: Bool, length: Double, time: Double, isOver: Bool
    ) {
        let playback = Playback(
            PlaybackControls(loops: loops), length: Self.nanoseconds(length), at: 0)
        #expect(playback.place(at: Self.nanoseconds(time)).isOver == isOver)
    }

    @Test func `a start that is not before the end shows one frame without playing`() {
        expect(
            PlaybackControls(start: 20_000_000_000), places: [(0, 10, 0, true), (5, 10, 0, true)])
        expect(
            PlaybackControls(start: 5_000_000_000, end: 5_000_000_000),
            places: [(0, 5, 0, true), (5, 5, 0, true)])
        expect(length: 0, places: [(0, 0, 0, true)])
        // A part of some frames is a picture.
        expect(length: 0.04, places: [(0, 0, 0, false), (7, 0.04, 0, true)])
    }

    @Test func `a new speed applies from the time at which it is set`() {
        expect(
            steps: [(2, .change { $0.speed = 2 }), (4, .change { $0.speed = 0.5 })],
            places: [(1, 1, 0, false), (3, 4, 0, false), (5, 6.5, 0, false), (12.0, 0, 1, false)])
    }

    @Test func `a pause keeps the position`() {
        expect(
            steps: [(3, .change { $0.isPaused = true }), (8, .change { $0.isPaused = false })],
            places: [(3, 3, 0, true), (7, 3, 0, true), (8, 3, 0, false), (9, 4, 0, false)])
    }

    @Test func `a jump is a separate leg, even to the present position`() {
        expect(
            steps: [(2, .seek(7)), (3, .seek(8)), (4, .seek(50)), (5, .seek(1))],
            places: [
                (1, 1, 0, false), (2, 7, 1, false), (3, 8, 2, false), (4, 0, 4, false),
                (5, 1, 5, false),
            ])
    }

    @Test func `a jump during a pause shows the new position`() {
        expect(
            PlaybackControls(isPaused: true), steps: [(1, .seek(4))],
            places: [(0.5, 0, 0, true), (1, 4, 1, true), (9, 4, 1, true)])
    }

    @Test func `a jump before the set start plays to the end, and then repeats from the start`() {
        expect(
            PlaybackControls(start: 4_000_000_000), steps: [(1, .seek(1))],
            places: [(0, 4, 0, false), (1, 1, 1, false), (9.5, 9.5, 1, false), (10, 4, 2, false)])
    }

    @Test func `a file whose repetition is switched on at its end plays from the start`() {
        expect(
            PlaybackControls(loops: false), steps: [(12, .change { $0.loops = true })],
            places: [(11, 10, 0, true), (12, 0, 1, false), (13, 1, 1, false)])
    }

    @Test func `a file of unknown length does not end`() {
        expect(length: nil, places: [(0, 0, 0, false), (1_000_000, 1_000_000, 0, false)])
    }

    @Test func `a file that ends early, or whose end was not known, repeats at its real end`() {
        for length in [10, nil] as [Int64?] {
            var playback = Playback(
                PlaybackControls(), length: length.map { $0 * 1_000_000_000 }, at: 0)
            playback.end(at: 4_000_000_000, time: 3_900_000_000)
            #expect(playback.place(at: 3_950_000_000).position == 3_950_000_000)
            let next = playback.place(at: 5_000_000_000)
            #expect(next.position == 1_000_000_000 && next.leg.number == 1 && !next.stands)
        }
    }

    @Test func `no time overflows`() {
        let playback = Playback(
            PlaybackControls(speed: 10), length: 1, from: .max, at: .min)
        for time in [Int64.min, 0, .max] { _ = playback.place(at: time) }
        var other = Playback(PlaybackControls(end: .max), length: nil, at: 0)
        other.seek(to: .max, at: .max)
        #expect(other.place(at: .max).leg.number > 0)
        var short = Playback(
            PlaybackControls(end: 100_000_000, speed: 10), length: nil, at: 0)
        for _ in 0..<3 { short.seek(to: 0, at: .max) }
        #expect(short.place(at: .max).leg.number > 0)
    }
}

extension Double {
    /// Seconds in nanoseconds.
    fileprivate var nanoseconds: Int64 { Int64((self * 1e9).rounded()) }
}

@Suite struct StreamAddressTests {
    /// What FFmpeg's libraries would open besides: files, other programs' output, lists of files.
    @Test(
        arguments: [
            "file:///etc/passwd", "/etc/passwd", "concat:a|b", "subfile:,,:/a", "data:text/plain,x",
            "crypto://x", "cache:http://x", "pipe:0", "unix:///run/x", "async:file:/x", "ftp://x/",
            "http:", "", " http://x", "concatf://x", "crypto+http://x",
        ])
    func `a URL whose scheme opens files or programs is refused`(url: String) {
        #expect(MediaStreamAddress(url) == nil)
    }

    @Test(
        arguments: [
            (
                "rtsp://ana:secret@camera.example:8554/live?token=secret#secret",
                "rtsp://camera.example:8554"
            ),
            ("RTMP://secret@host/app/name", "rtmp://host"),
            ("https://user:p@ss@secret@host/x", "https://host"),
            ("rtsp://user:s/ecret@host/x", "rtsp://..."),
            ("srt://host:9000?passphrase=secret", "srt://host:9000"),
            ("http://host", "http://host"),
        ])
    func `a stream's address in messages contains no credentials`(url: String, name: String) throws
    {
        let address = try #require(MediaStreamAddress(url))
        #expect(address.name == name)
        let scheme = String(name.prefix { $0 != ":" })
        #expect(address.url == scheme + String(url.dropFirst(scheme.count)))
    }
}

@Suite struct OrientationTests {
    /// The eight display matrices of a camera, and the corner of the picture that its first pixel belongs to.
    @Test(
        arguments: [
            (1, 0, 0, 1, false, 0), (0, 1, -1, 0, false, 90), (-1, 0, 0, -1, false, 180),
            (0, -1, 1, 0, false, 270), (1, 0, 0, -1, true, 0), (0, 1, 1, 0, true, 90),
            (-1, 0, 0, 1, true, 180), (0, -1, -1, 0, true, 270),
        ] as [(Int32, Int32, Int32, Int32, Bool, UInt32)])
    func `a display matrix is a flip and a turn`(
        a: Int32, b: Int32, c: Int32, d: Int32, isMirrored: Bool, degrees: UInt32
    ) {
        let unit: Int32 = 1 << 16
        #expect(
            Orientation(a: a * unit, b: b * unit, c: c * unit, d: d * unit)
                == Orientation(isMirrored: isMirrored, degrees: degrees))
    }

    @Test func `a display matrix of any numbers is read as a multiple of 90 degrees`() {
        for number in [Int32.min, -1, 0, 1, .max] {
            let degrees = Orientation(a: number, b: .min, c: .max, d: number).degrees
            #expect(degrees % 90 == 0 && degrees < 360)
        }
    }
}

@Suite struct JitterBufferTests {
    private static let delay = PacketSchedule.delay
    private static let second: Int64 = 1_000_000_000

    @Test func `the first packet is due after the delay, and later packets with the same delay`() {
        var buffer = PacketSchedule()
        #expect(buffer.position(at: 5) == nil)
        let begun = buffer.arrived(100 * Self.second, at: 7 * Self.second)
        #expect(begun == .begun)
        #expect(buffer.position(at: 7 * Self.second + Self.delay) == 100 * Self.second)
        // Early and late packets within the delay change nothing.
        for (position, time) in [(101.0, 7.8), (102, 9.29), (103, 9.5)] {
            let change = buffer.arrived(position.nanoseconds, at: time.nanoseconds)
            #expect(change == nil)
        }
        #expect(buffer.position(at: 12 * Self.second + Self.delay) == 105 * Self.second)
    }

    @Test func `a packet that comes too late restores the delay`() {
        var buffer = PacketSchedule()
        _ = buffer.arrived(0, at: 0)
        // Due at 1.3 s.
        let late = buffer.arrived(Self.second, at: 3 * Self.second)
        #expect(late == .late(2 * Self.second))
        #expect(buffer.position(at: 3 * Self.second + Self.delay) == Self.second)
        let inTime = buffer.arrived(2 * Self.second, at: 4 * Self.second)
        #expect(inTime == nil)
    }

    @Test func `media that a sender in real time sends too fast are skipped`() {
        var buffer = PacketSchedule()
        _ = buffer.arrived(0, at: 0)
        // A server may begin with the seconds since the last key frame.
        for position: Int64 in [1, 3, 6] {
            let skipped = buffer.arrived(position * Self.second, at: 0)
            #expect((skipped != nil) == (position > 1))
            let due = buffer.position(at: Self.delay) ?? 0
            #expect(position * Self.second - due <= PacketSchedule.limit)
        }
        var file = PacketSchedule()
        _ = file.arrived(0, at: 0)
        let change = file.arrived(60 * Self.second, at: 0, limited: false)
        #expect(change == nil)
    }

    @Test func `no timestamp overflows`() {
        var buffer = PacketSchedule()
        for position in [Int64.min, .max, 0, .min, .max] {
            for time in [Int64.min, .max, 0] {
                _ = buffer.arrived(position, at: time)
                _ = buffer.position(at: time)
            }
        }
    }

    @Test func `connecting again waits longer each time, up to 8 s`() {
        var backoff = StreamBackoff()
        let delays = (0..<7).map { _ in Double(backoff.next()) / 1e9 }
        #expect(delays == [0.5, 1, 2, 4, 8, 8, 8])
        backoff.reset()
        let first = backoff.next()
        #expect(first == Self.second / 2)
    }
}
