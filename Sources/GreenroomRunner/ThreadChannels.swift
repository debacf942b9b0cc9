import CLinux
import Glibc
import GreenroomIPC

/// The calling thread's channels, one for each runner that it has called.
enum ThreadChannels {
    private struct Entry {
        var runner: Runner
        var channel: Channel
        /// The index of a channel to free when the thread ends; nil if none.
        var index: Int?
        /// A posted frame with an unread answer; nil if none.
        var posted: PostedFrame?

        /// Prepares for a call by reading the answer to a posted frame.
        mutating func settle() {
            guard let frame = posted else { return }
            posted = nil
            runner.takeAnswer(from: channel, to: frame)
        }
    }

    private final class Entries {
        var all: [Entry] = []
        /// The index of the last used channel; nil if none.
        var last: Int?
    }

    /// The key whose destructor frees a plugin thread's channels when the thread ends, before a
    /// join returns.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { pointer in
            guard let pointer else { return }
            let entries = Unmanaged<Entries>.fromOpaque(pointer).takeRetainedValue()
            for var entry in entries.all {
                entry.settle()
                if let index = entry.index { entry.runner.close(entry.channel, index: index) }
            }
        }
        return key
    }()

    /// The calling thread's channel to a runner's host, ready for a call; nil if the thread has
    /// none.
    static func channel(of runner: Runner) -> Channel? {
        guard let entries, let index = index(of: runner, in: entries) else { return nil }
        entries.last = index
        entries.all[index].settle()
        return entries.all[index].channel
    }

    /// Whether the calling thread has opened its channel itself, or will open one.
    static func isOwn(of runner: Runner) -> Bool {
        guard let entries, let index = index(of: runner, in: entries) else { return true }
        return entries.all[index].index != nil
    }

    /// The channel that the calling thread used last.
    static var last: Channel? {
        guard let entries, let index = entries.last else { return nil }
        entries.all[index].settle()
        return entries.all[index].channel
    }

    /// Leaves the answer to a frame sent on the calling thread's channel for the thread's next
    /// call.
    static func post(to runner: Runner, _ frame: PostedFrame) {
        guard let entries, let index = index(of: runner, in: entries) else { return }
        entries.all[index].posted = frame
    }

    private static func index(of runner: Runner, in entries: Entries) -> Int? {
        entries.all.firstIndex { $0.runner === runner }
    }

    /// Removes the calling thread's channels of an ended runner.
    static func forget(_ runner: Runner) {
        entries?.last = nil
        entries?.all.removeAll { $0.runner === runner }
    }

    private static var entries: Entries? {
        pthread_getspecific(key).map { Unmanaged<Entries>.fromOpaque($0).takeUnretainedValue() }
    }

    static func use(_ channel: Channel, of runner: Runner, index: Int? = nil) {
        let entries = entries ?? make()
        entries.all.append(Entry(runner: runner, channel: channel, index: index))
        entries.last = entries.all.count - 1
    }

    private static func make() -> Entries {
        let entries = Entries()
        pthread_setspecific(key, Unmanaged.passRetained(entries).toOpaque())
        return entries
    }
}

/// A counting semaphore.
///
/// Unchecked Sendable: any thread may use a semaphore, and its address is fixed for the life of
/// this object.
package final class Semaphore: @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    package init(_ count: Int) { sem_init(semaphore, 0, UInt32(count)) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Decrements the semaphore. Waits while the count is 0.
    package func take() { while sem_wait(semaphore) != 0, errno == EINTR {} }

    /// Decrements the semaphore. Returns false if the count is 0 until a time on the monotonic
    /// clock.
    func take(until deadline: Int64) -> Bool { greenroom_take_until(semaphore, deadline) != 0 }

    package func give() { sem_post(semaphore) }
}

/// A detached thread.
enum Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Returns: Whether the thread was created.
    @discardableResult
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let argument = Unmanaged.passRetained(Body(body)).toOpaque()
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                if let argument {
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                }
                return nil
            }, argument)
        if status == 0 {
            pthread_detach(thread)
        } else {
            Unmanaged<Body>.fromOpaque(argument).release()
        }
        return status == 0
    }
}
