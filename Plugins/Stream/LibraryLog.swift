import CFFmpeg
import Glibc
import Synchronization

/// The errors that FFmpeg's libraries log on a thread. They are not printed, because they have URLs with keys in them.
enum LibraryLog {
    /// The newest lines of each thread that listens.
    private static let lines = Mutex<[UInt: [String]]>([:])
    private static let limit = 8

    /// Collects errors. It is process-wide.
    static func install() {
        av_log_set_callback { _, level, format, arguments in
            guard level <= AV_LOG_ERROR, let format, let arguments else { return }
            let thread = UInt(pthread_self())
            guard LibraryLog.lines.withLock({ $0[thread] != nil }) else { return }
            var text = [CChar](repeating: 0, count: 512)
            var hasPrefix: Int32 = 0
            av_log_format_line2(
                nil, level, format, arguments, &text, Int32(text.count), &hasPrefix)
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            LibraryLog.lines.withLock { lines in
                guard let known = lines[thread], known.count < LibraryLog.limit else { return }
                lines[thread] = known + [String(decoding: bytes, as: UTF8.self)]
            }
        }
    }

    /// Forgets the lines of this thread, and listens.
    static func begin() { lines.withLock { $0[UInt(pthread_self())] = [] } }

    /// The lines of this thread.
    static var current: [String] { lines.withLock { $0[UInt(pthread_self())] ?? [] } }

    static func end() { lines.withLock { $0[UInt(pthread_self())] = nil } }
}
