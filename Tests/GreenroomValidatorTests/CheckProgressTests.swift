import GreenroomModel
import Foundation
@testable import GreenroomRuntime
import GreenroomIsolation
import GreenroomPluginInterface
import TestSupport
import Testing

@testable import GreenroomValidator

/// The report of a check that exceeds its time limit.
@Suite(.ownThreads) struct CheckProgressTests {
    /// Builds a wrong plugin.
    private func build(_ name: String, in folder: String) throws -> String {
        let library = "\(folder)/libIt.so"
        let run = try ChildProcess.run(
            "cc",
            [
                "-D_GNU_SOURCE", "-shared", "-fPIC", "-pthread", "-I", Checkout.include,
                "\(Checkout.root)/Tests/WrongPlugins/\(name).c", "-o", library,
            ])
        try #require(run.exit == .code(0), "\(run)")
        return library
    }

    private func examination(of library: String, _ progress: CheckProgress) throws -> Examination {
        let runner = Checkout.products + "/greenroom-runner"
        let found = try PluginScanner(program: runner).examine(library).descriptors
        let descriptor = try #require(found.first)
        let order = CheckRequest(
            check: "lifecycle.whole-life", library: library, plugin: descriptor.id, settings: [:],
            folder: "/", runner: runner, read: [], write: [], devices: [], network: false,
            connect: [], display: false, pipewire: false, seed: 1,
            isStill: false)
        return Examination(
            library: library, descriptor: descriptor, settings: [],
            confinement: order.confinement, seed: 1, request: order, progress: progress)
    }

    @Test func `the running call is named, with the duration of earlier calls`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/progress-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let progress = CheckProgress()
        let examination = try examination(
            of: try build("lifecycle/slow-to-initialize", in: folder), progress)
        #expect(progress.verdict(afterSeconds: 60).outcome == .timedOut)
        #expect(
            progress.verdict(afterSeconds: 60).text
                == "did not end within 60 s: no call of the plugin is running, and none was created"
        )
        let check = HostThread(name: "check") {
            guard let fixture = try? examination.fixture() else { return }
            _ = fixture.make(.create)
            _ = fixture.make(.initialize)
        }
        let pattern = #/: initialize has been running for [0-9.]+ s, and 1 call before took/#
        var wasNamed = false
        for _ in 0..<3000 where !wasNamed {
            wasNamed = progress.verdict(afterSeconds: 60).text.contains(pattern)
            usleep(10_000)
        }
        #expect(wasNamed, "\(progress.verdict(afterSeconds: 60).text)")
        check.join()
        let last = progress.verdict(afterSeconds: 60).text
        #expect(last.contains("running, and 2 calls before took"), "\(last)")
        #expect(last.hasSuffix("(initialize)"), "\(last)")
    }
}
