import Foundation
import SessionTestSupport
import TestSupport
import Testing

extension SharedFrameTests {
    @Test func `hundreds of frames a second to three outputs cost one conversion`() throws {
        let fast = { (outputs: [String]) in
            try self.run(
                outputs, maximum: "96x54@240",
                camera: FileSession.hostile("Steady", "fps: 240"))
        }
        let none = try fast([try Self.taker("host", format: 2)])
        let isolated = try fast(
            [Self.taker("host", format: 2)] + (0..<3).map { _ in try Self.taker("process") })
        let frames = 480
        #expect(isolated.camera.conversions - none.camera.conversions == frames)
        let content = isolated.outputs.dropFirst().map(\.content)
        #expect(
            content.count == 3
                && content.allSatisfy { $0 == content.first && $0.first == Double(frames) })
        #expect(isolated.outputs.allSatisfy { $0.media?.copied == nil }, "\(isolated.run)")
    }

    @Test func `a request that needs no conversion costs one copy for all outputs`() throws {
        let inHost = try run([Self.taker("host", format: 1)])
        let isolated = try run((0..<3).map { _ in try Self.taker("process", format: 1) })
        #expect(isolated.camera.conversions == inHost.camera.conversions)
        #expect(
            isolated.camera.bytesConverted - inHost.camera.bytesConverted
                == 30 * 384 * 192 * 3 / 2)
        for output in isolated.outputs {
            #expect(output.content == inHost.outputs.first?.content, "\(isolated.run)")
            #expect(output.media?.copied == nil)
        }
    }

    @Test
    func `an output that writes to a shared frame crashes, and no other output sees it`() throws {
        let alone = try run([Self.taker("host")])
        let result = try run([
            Self.taker("process"), Self.taker("process", .write, ", on-failure: off"),
            Self.taker("host"),
        ])
        let loss = try #require(
            result.report.plugin("outputs[2]").losses?.first, "\(result.run)")
        #expect(loss.evidence.contains("SIGSEGV"), "\(result.run)")
        #expect(result.outputs[1].values["frames"] == 4, "\(result.run)")
        for output in [result.outputs[0], result.outputs[2]] {
            #expect(output.content == alone.outputs[0].content, "\(result.run)")
        }
    }

    @Test
    func `a frame that an output keeps does not change, and costs other outputs nothing`() throws {
        let alone = try run([Self.taker("host")])
        let result = try run([
            Self.taker("process"), Self.taker("process", .keep), Self.taker("host", .keep),
        ])
        for keeper in result.outputs.dropFirst() {
            #expect(keeper.values["kept"] == 8 && keeper.values["keeps-refused"] == 22)
            #expect(keeper.values["kept-different"] == 0, "\(result.run)")
        }
        for output in result.outputs {
            #expect(output.content == alone.outputs[0].content, "\(result.run)")
            #expect(output.media?.copied == nil && output.media?.noBuffer == 0)
        }
    }

    @Test
    func `frames of participants are shared between outputs, even from an isolated call`()
        throws
    {
        func run(_ isolation: String) throws -> Result {
            let call = FileSession.bundled(
                "LoopbackCall", "script: \"Ana 0s camera\"", "isolation: \(isolation)")
            let taker = try Self.taker(isolation, .none, format: 7, ", tracks: [participant *]")
            return try self.run([taker, taker, taker], "call: \(call)")
        }
        let (inHost, isolated) = (try run("host"), try run("process"))
        #expect(try #require(inHost.outputs.first?.values["frames"]) > 20, "\(inHost.run)")
        #expect(isolated.outputs.map(\.content) == inHost.outputs.map(\.content))
        #expect(isolated.outputs.allSatisfy { ($0.media?.copied ?? 0) <= 1 }, "\(isolated.run)")
        #expect(isolated.report.plugins.allSatisfy { $0.losses == nil }, "\(isolated.run)")
    }

    @Test func `a process can read only the frames of its requested format`() throws {
        let session = try FileSession(
            "camera: \(FileSession.bundled("ColorBars"))", duration: nil,
            outputs: """
                [\(try [7, 7, 1].map { try Self.taker("process", format: $0) }
                    .joined(separator: ", "))]
                """)
        let host = try session.start()
        defer { _ = host.wait(atMost: .zero) }
        try #require(Runners.wait(for: 3, ofHost: host.id))
        /// The memory files of frames that each process has mapped.
        func mapped() -> [Set<Substring>] {
            Runners.all(ofHost: host.id).map { process in
                let maps = (try? readFile("/proc/\(process)/maps")) ?? []
                let lines = String(decoding: maps, as: UTF8.self).split(separator: "\n")
                    .filter { $0.contains("/memfd:greenroom-lent") }
                #expect(lines.allSatisfy { $0.contains(" r--s ") })
                return Set(lines.map { $0.split(separator: " ")[4] })
            }
        }
        /// How many processes have memory of each one's, itself included.
        func sharers() -> [Int] {
            let all = mapped()
            return all.map { one in all.count { !$0.isDisjoint(with: one) } }.sorted()
        }
        #expect(
            waitUntil { sharers() == [1, 2, 2] }, "\(mapped())")
    }

    @Test func `no filter's process maps the frames of another filter`() throws {
        let filters = try (0..<2).map { _ in try FileSession.hostile("Invert") }
        let session = try FileSession(
            "camera: "
                + FileSession.bundled(
                    "ColorBars", "", "pre-processors: [\(filters.joined(separator: ", "))]"),
            duration: nil, isolation: "process", outputs: "[]")
        let host = try session.start()
        defer { _ = host.wait(atMost: .zero) }
        /// How each process has mapped the memories of the plugins' frames.
        func mapped() -> [[Substring]] {
            Runners.all(ofHost: host.id).map { process in
                let maps = (try? readFile("/proc/\(process)/maps")) ?? []
                return String(decoding: maps, as: UTF8.self).split(separator: "\n")
                    .filter { $0.contains("/memfd:greenroom-frames") }
                    .map { $0.split(separator: " ")[1] }.sorted()
            }.sorted { $0.count < $1.count }
        }
        let own: [Substring] = ["rw-s"]
        #expect(waitUntil { mapped() == [own, own, own] }, "\(mapped())")
    }

    @Test(arguments: ["hurry", "hoard"])
    func `an output that changes its requests constantly uses little memory`(
        name: String
    ) throws {
        let deed = name == "hoard" ? Deed.hoard : .hurry
        let session = try FileSession(
            "camera: \(FileSession.bundled("ColorBars"))", maximum: "1280x720@30", duration: "8s",
            table: "[1280x720@30]",
            outputs: "[{ record: { folder: recording, size: 16x16 } }, "
                + "\(try Self.taker("process", deed))]")
        let host = try session.start()
        // A memory file stays as long as a part of it is mapped.
        var (sizes, most): ([Substring: Int], Int) = ([:], 0)
        while !host.hasEnded {
            var mapped: Set<Substring> = []
            for process in Runners.all(ofHost: host.id) {
                let maps = (try? readFile("/proc/\(process)/maps")) ?? []
                for line in String(decoding: maps, as: UTF8.self).split(separator: "\n")
                where line.contains("/memfd:greenroom-lent") {
                    let words = line.split(separator: " ")
                    let range = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
                    guard range.count == 2 else { continue }
                    sizes[words[4]] = max(sizes[words[4]] ?? 0, range[1] - range[0])
                    mapped.insert(words[4])
                }
            }
            most = max(most, mapped.reduce(0) { $0 + (sizes[$1] ?? 0) })
            usleep(20_000)
        }
        let run = host.wait()
        #expect(run.exit == .code(0), "\(run)")
        // 64 MiB of ended frames, and the blocks of the change that was let through before and after.
        let block = try #require(sizes.values.max())
        #expect(block >= 8 * 1280 * 720 * 4 && most < (64 << 20) + 4 * block, "\(most >> 20) MiB")
        let turns = try #require(try Self.outputs(of: session).first?.values["turns"])
        // One that gives it back gets what it wants again and again.
        #expect(deed == .hoard ? turns <= 8 : turns >= 8, "\(turns)")
        #expect(
            run.standardError.contains("of released frames, limit: 64 MiB")
                == (deed == .hoard), "\(run)")
        try session.expectTrueReport(run)
    }
}
