import Glibc
import Synchronization

/// How much of the machine a test takes.
public enum TestLoad: Sendable {
    /// It mostly waits for processes and devices that it started.
    case light
    /// A session in real time that encodes and decodes video for several remote people.
    case heavy
}

/// Has six tests a processor run at once. Swift Testing has a limit of its own, but knows no load: the
/// heavy tests would run at the same time, or one by one at the end. Here two of them run from the
/// beginning on, and four when nothing else waits.
final class TestSlots: Sendable {
    static let shared = TestSlots()

    private static let limit = max(
        1,
        getenv("GREENROOM_TESTS_AT_ONCE").flatMap { Int(String(cString: $0)) }
            ?? 6 * sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    private struct State {
        var light = 0
        var heavy = 0
        var waitingLight: [CheckedContinuation<Void, Never>] = []
        var waitingHeavy: [CheckedContinuation<Void, Never>] = []

        /// The test that may run next, if one may.
        mutating func next() -> CheckedContinuation<Void, Never>? {
            guard light + heavy < TestSlots.limit else { return nil }
            let isHeavyNext = heavy < 2 || waitingLight.isEmpty && heavy < 4
            if !waitingHeavy.isEmpty, isHeavyNext {
                heavy += 1
                return waitingHeavy.removeFirst()
            }
            guard !waitingLight.isEmpty else { return nil }
            light += 1
            return waitingLight.removeFirst()
        }
    }

    private let state = Mutex(State())

    /// Waits for its turn.
    func enter(_ load: TestLoad) async {
        await withCheckedContinuation { turn in
            let next = state.withLock { state in
                switch load {
                case .light: state.waitingLight.append(turn)
                case .heavy: state.waitingHeavy.append(turn)
                }
                return state.next()
            }
            next?.resume()
        }
    }

    /// Has others run.
    func leave(_ load: TestLoad) {
        let next = state.withLock { state in
            switch load {
            case .light: state.light -= 1
            case .heavy: state.heavy -= 1
            }
            return state.next()
        }
        next?.resume()
    }
}
