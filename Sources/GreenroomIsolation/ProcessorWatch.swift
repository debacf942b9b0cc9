import CLinux
import Glibc
import GreenroomSystem
import SystemPackage

/// Notices a process that takes the processors from everything else, and has it wait for others from then
/// on: it takes nearly all of them, or far more of its threads run without a pause than there are processors.
///
/// Any user may do that to a process of theirs on any kernel; weights and quotas of control groups need
/// a group that was delegated to the host. A process that waits for others still gets what they leave.
struct ProcessorWatch {
    /// How long it may take so much, in nanoseconds. Loading takes all for a moment.
    private static let window: Int64 = 1_000_000_000
    /// The share of all processors that one process may not take for itself.
    private static let share = 0.75
    /// Limit of always-running threads per processor. More threads delay all other processes, even
    /// at a small CPU share.
    private static let crowd = 4
    /// Single threads are sampled above this share of all processors.
    private static let idleShare = 0.1

    private let process: pid_t
    /// The clock of its processor time; nil if it is not known.
    private let clock: clockid_t?
    private let processors: Int
    private var last: (time: Int64, used: Int64)?
    /// The threads that were ready to run at the last look, by number.
    private var ready: [String: ReadyThread] = [:]
    private var isDone = false

    /// A thread that is ready to run.
    private struct ReadyThread {
        /// How often it has waited for anything but a processor.
        var waits: Int
        /// How long it has run, in nanoseconds.
        var run: Int
    }

    /// - Parameter process: The process; 0 watches nothing.
    init(of process: pid_t, processors: Int = Int(greenroom_processor_count())) {
        self.process = process
        var clock = clockid_t()
        let isKnown = process > 0 && clock_getcpuclockid(process, &clock) == 0
        self.clock = isKnown ? clock : nil
        self.processors = max(processors, 1)
    }

    /// Looks at what it has used. Allocates nothing unless it has to look at threads.
    ///
    /// - Parameters:
    ///   - threads: How many it has.
    ///   - now: On the host clock.
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
        // As many threads as processors leave the scheduler's part to each other one.
        let takesMost = threads > processors && taken > Self.share * Double(processors)
        let isCrowd = isCrowd(threads, taken)
        guard takesMost || isCrowd else { return nil }
        isDone = true
        let number = (taken * 10).rounded() / 10
        let found = "the process uses \(number) of \(processors) processors with \(threads) threads"
        return letOthersFirst()
            ? "\(found): scheduling lowered to idle priority" : found
    }

    /// Whether too many threads have not waited since the last look, though they ran. On a busy machine the
    /// threads of any process are ready for long, but each waits again when it has had its turn.
    ///
    /// - Parameters:
    ///   - threads: How many it has.
    ///   - taken: How many processors it took in the last window.
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

    /// - Returns: nil for a thread that waits, or has ended.
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

    /// Sets SCHED_IDLE for the process's threads. New threads inherit it from the one that makes
    /// them. It lasts as long as the process: an ordinary user may lower their processes, but not lift
    /// them again (sched(7): the nice value of 0 is outside of the usual `RLIMIT_NICE`).
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
