import CLinux
import Glibc
import GreenroomConversion
import GreenroomMedia
import GreenroomSystem
import GreenroomVideo
import Synchronization
import SystemPackage
import GreenroomOperate

/// Writes the newest frame as a PNG file, on demand.
final class Snapshot: Sendable {
    let path: String
    private let tap: PreviewTap
    private let count = Mutex(0)

    /// Starts to take a snapshot at each SIGUSR1.
    ///
    /// - Throws: ``ExitError`` if the file can't be written: reported before the session.
    ///   it.
    init(of tap: PreviewTap, path: String, screen: PreviewScreen) throws {
        self.tap = tap
        self.path = path
        guard let name = path.last, name != "/" else {
            throw ExitError(
                .usage, "--snapshot \(path): not a file name. Write one, such as now.png.")
        }
        var status = stat()
        guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw ExitError(
                .usage, "--snapshot \(path): exists and is not a regular file. Name another.")
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(folder, W_OK | X_OK) == 0 else {
            throw ExitError(
                .outputFailed,
                "--snapshot \(path): can't create a file in \(folder): \(Errno.last). Name a file in "
                    + "a writable folder.")
        }
        SnapshotSignal.handle { screen.show(self.take().text) }
    }

    /// The instruction for taking a snapshot.
    var hint: String { "kill -USR1 \(getpid()) writes \(path)" }

    /// Whether a snapshot was written.
    var wasTaken: Bool { count.withLock { $0 > 0 } }

    /// Writes a snapshot. [any]
    ///
    /// - Returns: The message, and whether the file exists.
    func take() -> (text: String, isThere: Bool) {
        count.withLock { count in
            guard let frame = tap.frame else {
                return (
                    "--snapshot \(path): no frame to write: none has arrived. \"sent\", "
                        + "\"refused\" and \"dropped\" say why, or the duration is too short.",
                    false
                )
            }
            do {
                let size = try write(frame)
                count += 1
                return ("\(path): \(size)", true)
            } catch {
                return ("\(error)", false)
            }
        }
    }

    private func write(_ frame: borrowing VideoFrame) throws -> FrameSize {
        // Keep at most one frame: a frame of 8192x8192 pixels has 201 MB.
        let image = try FrameConverter().convert(
            frame, to: VideoWant(format: .rgb24), into: FramePool(limit: 1))
        try PNGFile.write(image, to: path)
        return image.size
    }
}

/// SIGUSR1, which requests a snapshot.
enum SnapshotSignal {
    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGUSR1)
        return set
    }

    /// Blocks the signal. Call this before creating threads.
    static func block() {
        signal(SIGUSR1, SIG_DFL)
        var set = set
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Calls a body at each signal.
    static func handle(_ body: @escaping @Sendable () -> Void) {
        DetachedThread {
            var set = set
            var number: Int32 = 0
            while sigwait(&set, &number) == 0 { body() }
        }
    }
}
