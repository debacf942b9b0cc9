internal import Glibc
internal import Synchronization

/// A thread of a plugin, which runs until its body returns.
///
/// Return from the body when ``PluginHost/wait(untilNanoseconds:)`` or a send reports that sending
/// has stopped, and call ``join()`` in the callback that stops sending.
public final class PluginThread: Sendable {
    private let thread: Mutex<pthread_t?>

    /// Starts a thread, and returns when it runs.
    ///
    /// A virtual clock knows a thread from its first wait on. Without the wait for the start, time could pass
    /// for the plugin's other threads on a busy machine.
    ///
    /// - Parameters:
    ///   - name: The name that tools show; Linux keeps the first 15 bytes.
    ///   - body: Runs on the thread.
    /// - Throws: A ``PluginError`` if the system can't make a thread.
    public init(name: String, body: sending @escaping () -> Void) throws {
        let body = ThreadBody(name: name, run: body)
        let start = Unmanaged.passRetained(body)
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                let body = Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue()
                body.nameThread()
                sem_post(body.begun)
                body.run()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw PluginError(
                "cannot start the thread '\(name)': the system has no thread or memory left "
                    + "(error \(code))",
                status: .unavailable)
        }
        while sem_wait(body.begun) != 0, errno == EINTR {}
        self.thread = Mutex(thread)
    }

    /// Waits until the thread has ended. Further calls, and calls on the thread itself, return at once.
    public func join() {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let thread else { return }
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    deinit { join() }
}

/// The closure of a thread.
private final class ThreadBody {
    let name: String
    let run: () -> Void
    /// A semaphore, posted when the thread runs.
    let begun = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init(name: String, run: sending @escaping () -> Void) {
        self.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
        self.run = run
        sem_init(begun, 0, 0)
    }

    deinit {
        sem_destroy(begun)
        begun.deallocate()
    }

    /// Names the calling thread. Only tools read the name, so failures are ignored.
    ///
    /// The function is a GNU extension that Swift's Glibc does not import; the file that does the
    /// same is out of reach in a sandbox.
    func nameThread() {
        guard let function = dlsym(nil, "pthread_setname_np") else { return }
        typealias SetName = @convention(c) (pthread_t, UnsafePointer<CChar>) -> Int32
        _ = unsafeBitCast(function, to: SetName.self)(pthread_self(), name)
    }
}
