import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Random faults in sessions with eight isolated plugins.
///
/// `GREENROOM_CAMPAIGN="SEED COUNT"` in the environment runs another campaign than the short
/// default; `Tests/Campaign/run.sh SEED COUNT` sets it. A run depends only on its seed and on the
/// machine's speed.
@Suite(.serialized, .ownThreads) struct CampaignTests {
    /// The kind of faults in a run.
    enum Kind: String, CaseIterable {
        /// Plugins fail by themselves, on the virtual clock.
        case inside
        /// Processes get signals and their shared memory is overwritten, in real time.
        case outside
        /// The host is killed, alone or with its plugins' processes.
        case host
    }

    private struct Tally {
        var runs = 0
        var faults = 0
        var losses = 0
        var kinds: [Kind: Int] = [:]
    }

    @Test func `a session survives random faults of its plugins`() throws {
        let words = (ProcessInfo.processInfo.environment["GREENROOM_CAMPAIGN"] ?? "1 12")
            .split(separator: " ").compactMap { UInt64($0) }
        let (seed, count) = words.count == 2 ? (words[0], words[1]) : (1, 12)
        var tally = Tally()
        for number in seed..<seed + count {
            var random = SeededGenerator(seed: number)
            // Runs on the virtual clock take a tenth of the time.
            let kind: Kind =
                number % 6 == 4 ? .outside : number % 6 == 5 ? .host : .inside
            tally.runs += 1
            tally.kinds[kind, default: 0] += 1
            do {
                switch kind {
                case .inside: try runInside(number, &random, &tally)
                case .outside: try runOutside(number, &random, &tally)
                case .host: try killHost(number, &random, &tally)
                }
            } catch {
                Issue.record("seed \(number), \(kind): \(error)")
            }
        }
        let kinds = Kind.allCases.map { "\(tally.kinds[$0] ?? 0) \($0)" }
        print(
            "campaign: seed \(seed), \(tally.runs) runs (\(kinds.joined(separator: ", "))), "
                + "\(tally.faults) faults, \(tally.losses) losses")
    }

    // MARK: - The session

    /// The eight plugins, and the file with the media of each.
    private static let plugins: [(role: String, file: String)] = [
        ("camera", "camera.y4m"), ("camera.pre-processors[0]", "camera.y4m"),
        ("camera.pre-processors[1]", "camera.y4m"), ("camera.pre-processors[2]", "camera.y4m"),
        ("camera.pre-processors[3]", "camera.y4m"), ("microphone", "camera.wav"),
        ("share", "share.y4m"), ("share.audio", "share.wav"),
    ]
    private static let seconds = 4
    private static let framesPerSecond = 30

    private static func session(
        clock: String, timeline: [String], duration: String? = "\(seconds)s"
    ) throws -> FileSession {
        let filters = try (0..<4).map { try FileSession.hostile("FaultyStamp", "tag: \($0)") }
        return try FileSession(
            """
            camera: \(try FileSession.hostile(
                "Faulty", "", "pre-processors: [\(filters.joined(separator: ", "))]"))
            microphone: \(try FileSession.hostile("FaultyMic"))
            share: \(try FileSession.hostile("FaultyShare", "way: leased", """
                audio: \(try FileSession.hostile("FaultyShareAudio"))
                """))
            """, maximum: "160x90@\(framesPerSecond)", duration: duration, deadline: "4s",
            clock: clock, timeline: timeline, isolation: "process",
            outputs: "[{ record: { folder: recording, overwrite: true } }]")
    }

    /// The result of a session without faults.
    private static let undisturbed = Result { () -> [String: [UInt8]] in
        let recorded = try Recorded(session(clock: "virtual", timeline: []), isolation: "process")
        guard recorded.run.exit == .code(0) else { throw Failure("\(recorded.run)") }
        return recorded.files
    }

    /// A fault of a plugin as entries of the timeline.
    private static func entries(_ fault: String, of role: String, at milliseconds: Int) -> [String]
    {
        // Reset before the restart, so that the next instance is different.
        [
            "at: \(milliseconds)ms, set: \"\(role).settings.fault=\(fault)\"",
            "at: \(milliseconds + 150)ms, set: \"\(role).settings.fault=none\"",
        ]
    }

    /// A disk that two seconds of the session fill, in memory.
    private struct SmallDisk {
        let path: String

        /// - Returns: nil where the tests may not mount one.
        init?(in folder: TemporaryFolder) {
            path = folder("full")
            guard mkdir(path, 0o700) == 0,
                mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0
            else { return nil }
        }

        func detach() { umount2(path, Int32(MNT_DETACH)) }
    }

    // MARK: - From inside

    private static let deadly = [
        "segv", "bus", "fpe", "abort", "exit", "quit", "overflow", "kill", "unmap", "garbage",
        "nonsense", "stop",
    ]
    private static let vicious = [
        "scribble", "close-all", "close-socket", "shut-socket", "descriptors", "fork", "break-in",
        "kill-host", "spin", "leak", "spoil-frames", "hang",
    ]
    private static let ofPictures = ["free-lease", "die-calling", "crowd"]

    private func runInside(_ seed: UInt64, _ random: inout SeededGenerator, _ tally: inout Tally)
        throws
    {
        var timeline: [String] = []
        var faults: [(role: String, fault: String)] = []
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let role =
                Self.plugins.map(\.role).filter { role in
                    !faults.contains { $0.role == role }
                }.randomElement(using: &random) ?? "camera"
            let known =
                Self.deadly + Self.vicious
                + (["camera", "share"].contains(role) ? Self.ofPictures : [])
            let fault = known.randomElement(using: &random) ?? "segv"
            let moment = Int.random(in: 500...3000, using: &random)
            timeline += Self.entries(fault, of: role, at: moment)
            faults.append((role, fault))
        }
        tally.faults += faults.count
        let session = try Self.session(clock: "virtual", timeline: timeline)
        // Of a second recording, whose disk soon is full, the first takes no harm.
        let disk = Int.random(in: 0..<6, using: &random) == 0 ? SmallDisk(in: session.folder) : nil
        defer { disk?.detach() }
        let recorded = try Recorded(
            session, isolation: "process", andInto: disk.map { "\($0.path)/second" })
        let told = "seed \(seed): \(faults)\(disk == nil ? "" : ", full disk")\n\(recorded.run)"
        if disk != nil {
            tally.faults += 1
            let error = recorded.run.standardError
            #expect(error.contains("No space left on device"), "\(told)")
            #expect(
                error.split(separator: "\n").count { $0.contains("session.json: failed") } <= 1,
                "\(told)")
        }
        #expect(recorded.run.exit == .code(disk == nil ? 0 : 74), "\(told)")
        let report = try session.expectTrueReport(recorded.run)
        try expectWhole(session, report, told, outcome: disk == nil ? "finished" : "outputs-failed")
        // A filter does nothing while there is no camera.
        let hasCamera = !faults.contains { $0.role == "camera" }
        for (role, fault) in faults
        where Self.deadly.contains(fault) && (hasCamera || !role.hasPrefix("camera.pre")) {
            let losses = try report.plugin(role).losses ?? []
            #expect(losses.count == 1, "\(role) \(told)")
            #expect(losses.allSatisfy { !$0.evidence.isEmpty && $0.awaySeconds != nil }, "\(told)")
        }
        for plugin in report.plugins {
            tally.losses += plugin.losses?.count ?? 0
            let isDisturbed = faults.contains { $0.role == plugin.role }
            #expect(isDisturbed || plugin.losses == nil, "\(plugin.role) \(told)")
        }
        let disturbed = Set(
            Self.plugins.filter { plugin in faults.contains { $0.role == plugin.role } }.map(\.file)
        )
        for (file, bytes) in try Self.undisturbed.get() where !disturbed.contains(file) {
            let isSame = recorded.files[file] == bytes
            #expect(isSame, "\(file) \(told)")
        }
        expectNothingLeft(recorded.run.process, told)
    }

    /// Frames of a track in all its files: what a share sends of another size has one of its own.
    private static func frameCount(of track: String, in session: FileSession) throws -> Int {
        var count = try session.picture(track).frameCount
        var number = 2
        while access("\(session.recording)/\(track)-\(number).y4m", R_OK) == 0 {
            count += try session.picture("\(track)-\(number)").frameCount
            number += 1
        }
        return count
    }

    /// Expects that every track has its full length.
    private func expectWhole(
        _ session: FileSession, _ report: Report, _ told: String, outcome: String = "finished",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(report.outcome == outcome, "\(told)", sourceLocation: sourceLocation)
        for track in ["camera", "share"] {
            let count = try Self.frameCount(of: track, in: session)
            #expect(
                count == Self.seconds * Self.framesPerSecond, "\(track) \(told)",
                sourceLocation: sourceLocation)
            let sound = try session.sound(track)
            #expect(
                sound.frameCount == Self.seconds * 48_000, "\(track) \(told)",
                sourceLocation: sourceLocation)
        }
    }

    // MARK: - From outside

    private func runOutside(_ seed: UInt64, _ random: inout SeededGenerator, _ tally: inout Tally)
        throws
    {
        // In real time the camera may also waste memory or flood the host.
        let fault =
            ["none", "leak", "flood-frames", "flood-log", "flood-output", "fill-frames"]
            .randomElement(using: &random) ?? "none"
        let session = try Self.session(
            clock: "real", timeline: Self.entries(fault, of: "camera", at: 600))
        let child = try session.start("--set", "session.isolation=process")
        var done: [String] = [fault]
        var (kills, mayLose) = (0, fault != "none")
        if child.waitForErrors(containing: "sending") {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                usleep(.random(in: 100_000...700_000, using: &random))
                guard
                    let runner = Runners.all(ofHost: child.id).sorted().randomElement(
                        using: &random)
                else { continue }
                switch Int.random(in: 0...7, using: &random) {
                case 0...3:
                    let signal =
                        [SIGKILL, SIGSEGV, SIGABRT, SIGTERM].randomElement(using: &random)
                        ?? SIGKILL
                    if kill(runner, signal) == 0 { kills += 1 }
                    done.append("signal \(signal)")
                case 4:
                    kill(runner, SIGSTOP)
                    mayLose = true
                    done.append("stop")
                case 5:
                    // Long enough to be noticed, too short to count as lost.
                    kill(runner, SIGSTOP)
                    usleep(.random(in: 50_000...400_000, using: &random))
                    kill(runner, SIGCONT)
                    mayLose = true
                    done.append("stop and go on")
                default:
                    guard Runners.corrupt(runner, &random) else { continue }
                    mayLose = true
                    done.append("corrupt")
                }
            }
        }
        tally.faults += done.count { $0 != "none" }
        let run = child.wait()
        let told = "seed \(seed): \(done)\n\(run)"
        #expect(run.exit == .code(0), "\(told)")
        let report = try session.expectTrueReport(run)
        try expectWhole(session, report, told)
        let losses = report.plugins.flatMap { $0.losses ?? [] }
        tally.losses += losses.count
        #expect(kills == 0 || !losses.isEmpty, "\(told)")
        #expect(kills > 0 || mayLose || losses.isEmpty, "\(told)")
        #expect(losses.allSatisfy { !$0.evidence.isEmpty }, "\(told)")
        try expectCadence(session, report, told)
        expectNothingLeft(child.id, told)
    }

    /// Expects that the share, if it had no fault, matches the report, with its frames in order.
    private func expectCadence(_ session: FileSession, _ report: Report, _ told: String) throws {
        guard try report.plugin("share").losses == nil, !told.contains("corrupt"),
            let output = try report.picture("share").outputs.first
        else { return }
        let marks = try session.picture("share").marks()
        #expect(marks.count { $0 == nil } == output.black, "\(told)")
        let cadence = Cadence(marks.compactMap(\.self))
        #expect(cadence.steps.allSatisfy { $0 > 0 }, "\(cadence)\n\(told)")
        #expect(cadence.shown.count == output.delivered, "\(cadence)\n\(told)")
    }

    // MARK: - The host

    private func killHost(_ seed: UInt64, _ random: inout SeededGenerator, _ tally: inout Tally)
        throws
    {
        let session = try Self.session(clock: "real", timeline: [], duration: nil)
        let child = try session.start("--set", "session.isolation=process")
        // From the first moment, before there are any files, to the middle of the session.
        usleep(.random(in: 5_000...1_500_000, using: &random))
        let takesAll = Bool.random(using: &random)
        if takesAll {
            for runner in Runners.all(ofHost: child.id) { kill(runner, SIGKILL) }
        }
        child.signal(SIGKILL)
        tally.faults += 1
        let run = child.wait()
        let told = "seed \(seed): host killed\(takesAll ? " and all" : "")\n\(run)"
        #expect(run.exit == .signal(SIGKILL), "\(told)")
        expectNothingLeft(child.id, told)
        // Every file is valid except for its last frame.
        if session.folder.has("recording/camera.y4m"),
            let picture = try? session.picture("camera")
        {
            #expect(picture.trailingBytes < 160 * 90 * 2, "\(told)")
        }
        // The next one starts, in the same folder.
        let next = try session.run(
            "--set", "session.isolation=process", "--duration", "300ms", "--virtual-clock")
        #expect(next.exit == .code(0), "\(told)\n\(next)")
        try session.expectTrueReport(next)
        expectNothingLeft(next.process, told)
    }

    // MARK: - After the end

    /// Expects that no process of an ended host is left.
    private func expectNothingLeft(
        _ host: pid_t, _ told: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let isEmpty = Runners.wait(for: 0, ofHost: host)
        #expect(
            isEmpty, "\(Runners.all(ofHost: host)) are left: \(told)",
            sourceLocation: sourceLocation)
    }
}
