import Foundation
import GreenroomHost
import GreenroomIsolation
import GreenroomLoading
import TestSupport
import Testing

@testable import GreenroomValidator

/// What is said of a check whose time is over.
@Suite struct CourseTests {
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

    private func examination(of library: String, _ course: Course) throws -> Examination {
        let runner = Checkout.products + "/greenroom-runner"
        let found = try PluginScanner(program: runner).examine(library).descriptors
        let descriptor = try #require(found.first)
        let order = JudgeOrder(
            check: "lifecycle.whole-life", library: library, plugin: descriptor.id, settings: [:],
            folder: "/", runner: runner, read: [], write: [], devices: [], network: false, seed: 1,
            isStill: false)
        return Examination(
            library: library, descriptor: descriptor, settings: [],
            confinement: order.confinement, seed: 1, order: order, course: course)
    }

    @Test func `the call that goes on is named, and what those before it took`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/course-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let course = Course()
        let examination = try examination(
            of: try build("lifecycle/slow-to-initialize", in: folder), course)
        #expect(course.verdict(afterSeconds: 60).outcome == .timedOut)
        #expect(
            course.verdict(afterSeconds: 60).text
                == "it did not end within 60 s: no call of the plugin is going on, and none was made"
        )
        let check = HostThread(name: "check") {
            guard let bench = try? examination.bench() else { return }
            _ = bench.make("create")
            _ = bench.make("initialize")
        }
        let pattern = #/: initialize has been going on for [0-9.]+ s, and 1 call before took/#
        var wasNamed = false
        for _ in 0..<3000 where !wasNamed {
            wasNamed = course.verdict(afterSeconds: 60).text.contains(pattern)
            usleep(10_000)
        }
        #expect(wasNamed, "\(course.verdict(afterSeconds: 60).text)")
        check.join()
        let last = course.verdict(afterSeconds: 60).text
        #expect(last.contains("going on, and 2 calls before took"), "\(last)")
        #expect(last.hasSuffix("(initialize)"), "\(last)")
    }
}
