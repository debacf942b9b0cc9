import CLinux
import Glibc
import GreenroomSystem
import SystemPackage

/// Detects a process that starves all others, and lowers its scheduling to idle priority. The
/// process uses nearly all processors, or runs far more busy threads than there are processors.
///
/// On any kernel a user may lower the priority of their processes. Weights and quotas of control
/// groups need a group that was delegated to the host. A process at idle priority still receives
/// the unused processor time.
struct ProcessorWatch {
    /// The time between two checks, in nanoseconds. While loading, a process briefly uses all
    /// processors.
    private static let window: Int64 = 1_000_000_000
    /// Limit of one process's share of all processors.
    private static let share = 0.75
    /// Limit of always-running threads per processor. More threads delay all other processes, even
    /// at a small CPU share.
    private static let crowd = 4
    /// The share of all processors above which single threads are sampled.
    private static let idleShare = 0.1

    private let process: pid_t
    /// The clock of the process's processor time; nil if unknown.
    private let clock: clockid_t?
    private let processors: Int
    private var last: (time: Int64, used: Int64)?
    /// The threads that were ready to run at the last check, by number.
    private var ready: [String: ReadyThread] = [:]
    private var isDone = false

    /// A thread that is ready to run.
    private struct ReadyThread {
        /// The number of times that the thread waited for anything but a processor.
        var waits: Int
        /// The processor time of the thread, in nanoseconds.
        var run: Int
    }

    /// - Parameter process: The process to watch; 0 if none.
    init(of process: pid_t, processors: Int = Int(greenroom_processor_count())) {
        self.process = process
        var clock = clockid_t()
        let isKnown = process > 0 && clock_getcpuclockid(process, &clock) == 0
        self.clock = isKnown ? clock : nil
        self.processors = max(processors, 1)
    }

    /// Checks the process's use of processors. Allocates nothing unless it samples threads.
    ///
    /// - Parameters:
    ///   - threads: The number of threads of the process.
    ///   - now: The time in nanoseconds on the host clock.
    /// - Returns: A log line about a change; usually nil.
    mutating func check(threads: Int, at now: Int64) -> String? {
        guard !isDone, let used = usedNanoseconds else { return nil }
        guard let last else {
            self.last = (now, used)
            return nil
        }
        guard now - last.time >= Self.window else { return nil }
        self.last = (now, used)
        let taken = Double(used - last.used) / Double(now - last.time)
        // A process with at most one thread per processor leaves each other process its share.
        let takesMost = threads > processors && taken > Self.share * Double(processors)
        let isCrowd = isCrowd(threads, taken)
        guard takesMost || isCrowd else { return nil }
        isDone = true
        let number = (taken * 10).rounded() / 10
        let found = "the process uses \(number) of \(processors) processors with \(threads) threads"
        return letOthersFirst()
            ? "\(found): scheduling lowered to idle priority" : found
    }

    /// Whether too many threads have run since the last check without waiting. On a busy machine
    /// any process's threads are ready for long, but each waits again after its turn.
    ///
    /// - Parameters:
    ///   - threads: The number of threads of the process.
    ///   - taken: The number of processors used in the last window.
    private mutating func isCrowd(_ threads: Int, _ taken: Double) -> Bool {
        let (limit, before) = (Self.crowd * processors, ready)
        ready = [:]
        guard threads > limit, taken > Self.idleShare * Double(processors) else { return false }
        var spinning = 0
        for name in (try? FileDescriptor.names(in: "/proc/\(process)/task")) ?? [] {
            guard let now = readyThread(name) else { continue }
            ready[name] = now
            if let then = before[name], then.waits == now.waits, then.run < now.run {
                spinning += 1
            }
        }
        return spinning > limit
    }

    /// - Returns: The thread; nil if it waits or has ended.
    private func readyThread(_ name: String) -> ReadyThread? {
        guard let status = ProcessStatus(in: StatusFile(of: process, thread: name)), status.isReady,
            let times = try? FileDescriptor.contents(
                of: "/proc/\(process)/task/\(name)/schedstat"),
            let run = times.split(separator: UInt8(ascii: " ")).first.flatMap({
                Int(String(decoding: $0, as: UTF8.self))
            })
        else { return nil }
        return ReadyThread(waits: status.waits, run: run)
    }

    private var usedNanoseconds: Int64? {
        var time = timespec()
        guard let clock, clock_gettime(clock, &time) == 0 else { return nil }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Sets SCHED_IDLE for the process's threads. New threads inherit it. The policy lasts as long
    /// as the process: an ordinary user may lower a process's priority but not raise it again
    /// (sched(7): the nice value of 0 is outside the usual `RLIMIT_NICE`).
    ///
    /// - Returns: Whether the process's first thread has SCHED_IDLE.
    private func letOthersFirst() -> Bool {
        var parameters = sched_param()
        // The process may have created threads during the first round.
        for _ in 0..<2 {
            for thread in (try? FileDescriptor.names(in: "/proc/\(process)/task")) ?? [] {
                guard let thread = pid_t(thread) else { continue }
                sched_setscheduler(thread, Int32(greenroom_sched_idle), &parameters)
            }
        }
        return sched_getscheduler(process) == Int32(greenroom_sched_idle)
    }
}
