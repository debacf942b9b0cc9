import CLinux
import Glibc
import GreenroomRuntime
import GreenroomSystem
import SystemPackage

/// Notices a process that takes nearly all processors from everything else, and has it wait for others
/// from then on.
///
/// Any user may do that to a process of theirs on any kernel; weights and quotas of control groups need
/// a group that was delegated to the host. A process that waits for others still gets what they leave.
struct ProcessorWatch {
    /// How long it may take so much, in nanoseconds. Loading takes all for a moment.
    private static let window: Int64 = 1_000_000_000
    /// The share of all processors.
    private static let share = 0.75

    private let process: pid_t
    private let processors: Int
    private var last: (time: Int64, used: Int64)?
    private var isDone = false

    /// - Parameter process: The process; 0 watches nothing.
    init(of process: pid_t, processors: Int = Int(greenroom_processor_count())) {
        self.process = process
        self.processors = max(processors, 1)
    }

    /// Looks at what it has used. Allocates nothing unless it finds something.
    ///
    /// - Returns: What was done, for the log; nil in general.
    mutating func check(threads: Int) -> String? {
        let now = MonotonicClock.now
        guard !isDone, let used = usedNanoseconds else { return nil }
        guard let last else {
            self.last = (now, used)
            return nil
        }
        guard now - last.time >= Self.window else { return nil }
        self.last = (now, used)
        let taken = Double(used - last.used) / Double(now - last.time)
        // As many threads as processors leave the scheduler's part to each other one.
        guard threads > processors, taken > Self.share * Double(processors) else { return nil }
        isDone = true
        let number = (taken * 10).rounded() / 10
        let found = "its process uses \(number) of \(processors) processors with \(threads) threads"
        return letOthersFirst()
            ? "\(found): from now on it gets what all others leave" : found
    }

    private var usedNanoseconds: Int64? {
        var clock = clockid_t()
        var time = timespec()
        guard process > 0, clock_getcpuclockid(process, &clock) == 0,
            clock_gettime(clock, &time) == 0
        else { return nil }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Gives its threads the scheduling class of idle work. New threads inherit it from the one that makes
    /// them.
    ///
    /// - Returns: Whether that worked for its first thread.
    private func letOthersFirst() -> Bool {
        var parameters = sched_param()
        // Threads may have been made during the first round.
        for _ in 0..<2 {
            for thread in (try? FileDescriptor.names(in: "/proc/\(process)/task")) ?? [] {
                guard let thread = pid_t(thread) else { continue }
                sched_setscheduler(thread, Int32(greenroom_sched_idle), &parameters)
            }
        }
        return sched_getscheduler(process) == Int32(greenroom_sched_idle)
    }
}
