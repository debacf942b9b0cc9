import Foundation
import Glibc
import Synchronization
public import Testing

/// Runs the tests of a suite on threads of their own, a few at once.
///
/// Swift's own pool has one thread per processor. Tests that wait for child processes would block
/// all of them: the machine would idle, and Swift Testing could not report the end of a test. Use
/// the trait also for suites with slow tests: it reports the start and duration of each test to
/// `Tests/run.sh`.
public struct OwnThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    var load: TestLoad

    /// Each test of a suite has its own scope.
    public var isRecursive: Bool { true }

    /// Runs a test.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        await TestSlots.shared.enter(load)
        defer { TestSlots.shared.leave(load) }
        let name = TestTimes.begin(test, testCase)
        let start = ContinuousClock.now
        defer { TestTimes.end(name, after: .now - start) }
        try await withTaskExecutorPreference(ThreadPerJob.shared) { try await body() }
    }
}

extension Trait where Self == OwnThreadsTrait {
    /// For suites of tests that block: they wait for child processes, sockets, or real time.
    public static var ownThreads: Self { ownThreads(.light) }

    /// For test suites that block, with their share of the machine's processors.
    public static func ownThreads(_ load: TestLoad) -> Self { OwnThreadsTrait(load: load) }
}

/// Runs each job on a new thread. ``TestSlots`` limits how many tests run at once.
private final class ThreadPerJob: TaskExecutor {
    static let shared = ThreadPerJob()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The file that `Tests/run.sh` reads: a line for the start of each test case, and one for its end.
private enum TestTimes {
    private static let file: Int32? = getenv("GREENROOM_TEST_TIMES").map {
        open($0, O_WRONLY | O_APPEND | O_CLOEXEC)
    }
    private static let cases = Atomic(0)

    /// - Returns: The name of the case.
    static func begin(_ test: Test, _ testCase: Test.Case?) -> String {
        let (id, _) = cases.add(1, ordering: .relaxed)
        let isOneOfMany = testCase?.isParameterized ?? false
        let suite = test.sourceLocation.fileName.prefix { $0 != "." }
        let name =
            "\(test.sourceLocation.moduleName).\(suite)/\(test.displayName ?? test.name)"
            + (isOneOfMany ? " \u{2192} case \(id)" : "")
        write("begin\t0\t\(name)\n")
        return name
    }

    static func end(_ name: String, after duration: Duration) {
        write("end\t\(duration / .seconds(1))\t\(name)\n")
    }

    private static func write(_ line: String) {
        guard let file else { return }
        let bytes = Array(line.utf8)
        _ = Glibc.write(file, bytes, bytes.count)
    }
}
