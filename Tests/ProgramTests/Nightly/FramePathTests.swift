import Foundation
import SessionTestSupport
import TestSupport
import Testing

/// What a frame costs the host on its way from a plugin to a file: none of it depends on the
/// machine. `Tests/Benchmarks/frame-path.sh` prints the table.
///
/// Two sessions of one length, one with ten times as many frames as the other, run with
/// `count_frame_path.c`: what the one takes more is what the frames cost. Frames that are dropped on
/// a busy machine cost less than others, so the numbers are limits from above.
@Suite(.ownThreads) struct FramePathTests {
    /// What each frame costs.
    struct Cost: Sendable {
        /// Times that memory is allocated, in a release build.
        var allocations: Double
        /// Mutexes taken that threads can wait on, by the host and in its plugins' threads.
        var locks: Double
        /// Times that a thread of the host sleeps until another thread or process wakes it.
        var wakeups: Double
        /// Bytes of pixels written by the host, in frames.
        var copies: Double
    }

    /// A way through the host.
    struct Path: Sendable, CustomTestStringConvertible {
        var name: String
        var isLeased = true
        var isolation = "host"
        /// Whether it sends BGRA: 4 bytes a pixel, and not 1.5.
        var isBGRA = false
        /// Where its filters are, if there are any.
        var filter: String?
        var filterCount = 1
        /// What the outputs want, besides one recording of frames as they are.
        var outputs: [String] = []
        /// Plugins in processes of their own that take frames as they are, besides.
        var takers = 0
        /// The most that a frame may cost, without the half that is left for other work.
        var limit: Cost

        var testDescription: String { name }
    }

    static let paths = [
        Path(
            name: "host, leased",
            limit: Cost(allocations: 0, locks: 6, wakeups: 2, copies: 0)),
        Path(
            name: "host, borrowed", isLeased: false,
            limit: Cost(allocations: 0, locks: 6, wakeups: 2, copies: 1)),
        Path(
            name: "process, leased", isolation: "process",
            limit: Cost(allocations: 0, locks: 5, wakeups: 3, copies: 0)),
        Path(
            name: "process, borrowed", isLeased: false, isolation: "process",
            limit: Cost(allocations: 0, locks: 5, wakeups: 3, copies: 1)),
        // I420 is made as they are sent, but for the first ones.
        Path(
            name: "host, borrowed BGRA", isLeased: false, isBGRA: true,
            limit: Cost(allocations: 0, locks: 6, wakeups: 2, copies: 1.1)),
        Path(
            name: "process, borrowed BGRA", isLeased: false, isolation: "process", isBGRA: true,
            limit: Cost(allocations: 0, locks: 5, wakeups: 3, copies: 1.1)),
        // A filter edits a copy, so that the frame is whole if the filter fails.
        Path(
            name: "filter in the host", filter: "host",
            limit: Cost(allocations: 0, locks: 13, wakeups: 4, copies: 1)),
        // The track wakes the filter's thread, which wakes its process.
        Path(
            name: "filter in a process", filter: "process",
            limit: Cost(allocations: 0, locks: 14, wakeups: 5, copies: 1)),
        Path(
            name: "two filters in processes", filter: "process", filterCount: 2,
            limit: Cost(allocations: 0, locks: 22, wakeups: 8, copies: 2)),
        Path(
            name: "two equal outputs", outputs: [""],
            limit: Cost(allocations: 0, locks: 9, wakeups: 3, copies: 0)),
        Path(
            name: "an output that scales", outputs: [", size: 128x72"],
            limit: Cost(allocations: 0, locks: 9, wakeups: 3, copies: 0.25)),
        Path(
            name: "three isolated outputs", takers: 3,
            limit: Cost(allocations: 0, locks: 42, wakeups: 8, copies: 1)),
    ]

    @Test(arguments: paths)
    func `a frame costs no more allocations, locks and copies than its limit`(path: Path) throws {
        func measure() throws -> Cost {
            // A filter has as long for a frame as the next one takes to come: on a busy machine too short at 200.
            let rate = path.filter == nil ? 20 : 10
            let few = try Count(video: path, fps: rate)
            return try Count(video: path, fps: 10 * rate).cost(without: few)
        }
        try expect(path.name, within: path.limit, measure)
    }

    @Test
    func `a block of audio costs no more allocations, locks and copies than its limit`() throws {
        // 10 ms each, from the microphone through the mixer into a file. What is allocated is the
        // microphone's part of the reports, one a second: nothing on the way of a block.
        func measure() throws -> Cost {
            let with = try (Count(audio: true, 500), Count(audio: true, 2000))
            let without = try (Count(audio: false, 500), Count(audio: false, 2000))
            return with.1.cost(without: with.0, per: 150)
                - without.1.cost(without: without.0, per: 150)
        }
        let limit = Cost(allocations: 1.5, locks: 7.5, wakeups: 0, copies: 0)
        try expect("a block of audio", within: limit, measure)
    }

    @Test func `each sent block of audio costs at most three locks and no allocation`() throws {
        // 10 ms each, and ten times as many of 1 ms: the mixer and the file take the same.
        let limit = Cost(allocations: 0, locks: 3, wakeups: 0, copies: 0)
        func measure() throws -> Cost {
            let few = try Count(block: 480)
            return try Count(block: 48).cost(without: few)
        }
        try expect("a block that is sent", within: limit, measure)
    }

    private func show(_ name: String, _ cost: Cost) {
        guard ProcessInfo.processInfo.environment["GREENROOM_SHOW_FRAME_PATH"] != nil else {
            return
        }
        print(
            "frame path | \(name) | \(cost.locks.hundredths) | \(cost.wakeups.hundredths) | "
                + "\(cost.allocations.hundredths) | \(cost.copies.hundredths)")
    }

    private func isWithin(_ limit: Cost, _ cost: Cost) -> Bool {
        // A debug build keeps on the heap what an optimized one does not.
        let isOptimized = Checkout.products.hasSuffix("release")
        return cost.locks <= limit.locks + 0.5 && cost.wakeups <= limit.wakeups + 0.5
            && cost.copies <= limit.copies + 0.01
            && (!isOptimized || cost.allocations <= limit.allocations + 0.5)
    }

    /// Load disturbs a measurement: what is late or refused costs texts. The least disturbed of
    /// some counts.
    private func expect(
        _ name: String, within limit: Cost, _ measure: () throws -> Cost
    ) throws {
        var cost: Cost?
        var isWithin = false
        for attempt in 1...5 where !isWithin {
            do {
                let measured = try measure()
                cost = measured
                isWithin = self.isWithin(limit, measured)
            } catch let busy as TooBusy {
                if attempt == 5 { throw busy }
            }
        }
        if let cost { show(name, cost) }
        #expect(isWithin, "\(cost as Any), limit: \(limit)")
    }
}

/// The machine had too little time for a session.
private struct TooBusy: Error {}

/// What was counted in one run of a session.
private struct Count {
    private var numbers: [String: Double]
    private var frames = 0.0
    private var bytes = 0.0

    init(video path: FramePathTests.Path, fps: Int) throws {
        let flood = try Self.built.get().flood
        let settings =
            "width: 256, height: 144, leased: \(path.isLeased ? 1 : 0), "
            + "bgra: \(path.isBGRA ? 1 : 0), fps: \(fps)"
        let filter =
            path.filter.map { isolation in
                let filter =
                    "{ plugin: Adjust, isolation: \(isolation) }"
                let all = Array(repeating: filter, count: path.filterCount)
                return "pre-processors: [\(all.joined(separator: ", "))]"
            } ?? ""
        let session = try FileSession(
            "camera: \(FileSession.library(flood, settings, filter))", maximum: "256x144@1000",
            duration: path.filter == nil ? "1500ms" : "3s", table: "[256x144@1000]",
            isolation: path.isolation,
            outputs: try Self.outputs(path.outputs, takers: path.takers))
        numbers = try Self.run(session)
        let picture = try session.report().picture("camera")
        frames = Double(picture.accepted)
        bytes = Double(picture.bytesCopied + picture.bytesConverted)
    }

    init(audio: Bool, _ milliseconds: Int) throws {
        let flood = try Self.built.get().flood
        let session = try FileSession(
            """
            camera: \(FileSession.library(flood, "width: 256, height: 144, fps: 1"))
            \(audio ? "microphone: \(FileSession.bundled("Tone"))" : "")
            """, duration: "\(milliseconds)ms", outputs: try Self.outputs([]))
        numbers = try Self.run(session)
    }

    /// A microphone that sends blocks of a length.
    init(block: Int) throws {
        let session = try FileSession(
            """
            camera: \(FileSession.library(
                try Self.built.get().flood, "width: 256, height: 144, fps: 1"))
            microphone: \(try FileSession.hostile("BeepMic", "block: \(block)"))
            """, duration: "1500ms", outputs: try Self.outputs([]))
        numbers = try Self.run(session)
        frames = Double(try session.report().sound("microphone").sent)
    }

    /// What each frame costs that this has more than another count.
    func cost(without other: Count) throws -> FramePathTests.Cost {
        let frames = frames - other.frames
        guard frames > 50 else { throw TooBusy() }
        return cost(without: other, per: frames)
    }

    func cost(without other: Count, per frames: Double) -> FramePathTests.Cost {
        func each(_ name: String) -> Double {
            (numbers[name, default: 0] - other.numbers[name, default: 0]) / frames
        }
        return FramePathTests.Cost(
            allocations: each("allocations"), locks: each("locks"), wakeups: each("wakeups"),
            copies: (bytes - other.bytes) / frames / (256 * 144 * 1.5))
    }

    private static func outputs(_ wants: [String], takers: Int = 0) throws -> String {
        var others = wants.enumerated().map { ", { record: { folder: other\($0)\($1) } }" }
        for _ in 0..<takers {
            let library = try TestPlugins.benchmark("take")
            others.append(
                ", \(FileSession.library(library, "format: 1", "isolation: process"))")
        }
        return "[{ record: recording }\(others.joined())]"
    }

    private static func run(_ session: FileSession) throws -> [String: Double] {
        let file = session.folder("count")
        let run = try session.run(
            environment: ["LD_PRELOAD": built.get().counter, "COUNT_FRAME_PATH": file])
        // Without a frame in its time a track is not real.
        guard run.exit != .code(66) else { throw TooBusy() }
        try #require(run.exit == .code(0), "\(run)")
        let lines = String(decoding: try readFile(file), as: UTF8.self).split(separator: "\n")
        let pairs = lines.map { $0.split(separator: " ") }
        return Dictionary(
            uniqueKeysWithValues: pairs.map { (String($0[0]), Double($0[1]) ?? .infinity) })
    }

    private static let built = Result {
        // LD_PRELOAD separates paths by blanks.
        let counter = "/tmp/greenroom-count-\(getpid()).so"
        try Data(readFile(TestPlugins.benchmark("count_frame_path")))
            .write(to: URL(filePath: counter))
        atexit { unlink("/tmp/greenroom-count-\(getpid()).so") }
        return (flood: try TestPlugins.benchmark("flood"), counter: counter)
    }
}

private func - (one: FramePathTests.Cost, other: FramePathTests.Cost) -> FramePathTests.Cost {
    FramePathTests.Cost(
        allocations: one.allocations - other.allocations, locks: one.locks - other.locks,
        wakeups: one.wakeups - other.wakeups, copies: one.copies - other.copies)
}

extension Double {
    fileprivate var hundredths: String { String(format: "%.2f", self) }
}
