import Synchronization
public import Testing

/// Lets four tests of the suites that have the trait run at once.
///
/// For sessions in real time that encode and decode video for several remote people: eight of them
/// are more than two processors can do. A serialized suite would have each test wait for all others.
public struct FourAtATimeTrait: SuiteTrait, TestTrait, TestScoping {
    /// Each test of a suite waits for its turn.
    public var isRecursive: Bool { true }

    private struct State {
        var running = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Mutex(State())

    /// A test waits before it becomes one of the tests whose number Swift Testing limits: what
    /// waits keeps no other test from running. With its cases, it is one.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite || testCase != nil ? nil : self
    }

    /// Runs a test when it is its turn.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        await withCheckedContinuation { turn in
            let isFree = Self.state.withLock { state in
                guard state.running < 4 else {
                    state.waiting.append(turn)
                    return false
                }
                state.running += 1
                return true
            }
            if isFree { turn.resume() }
        }
        defer {
            let next = Self.state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
                state.running -= 1
                return nil
            }
            next?.resume()
        }
        try await body()
    }
}

extension Trait where Self == FourAtATimeTrait {
    /// For tests that would keep both processors from the others.
    public static var fourAtATime: Self { FourAtATimeTrait() }
}
