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

    /// Collects the reasons of servers that reject an SRT connection, because FFmpeg does not ask for them. FFmpeg
    /// may be linked with libsrt or built without SRT, so this function looks for libsrt's functions in FFmpeg's library.
    static func installSRT() {
        let formats = "libavformat.so.\(avformat_version() >> 16)"
        guard let library = dlopen(formats, RTLD_LAZY | RTLD_NOLOAD) else { return }
        // The plugin is never unloaded, so the library stays.
        defer { dlclose(library) }
        typealias Handler =
            @convention(c) (
                UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32,
                UnsafePointer<CChar>?, UnsafePointer<CChar>?
            ) -> Void
        guard let setHandler = dlsym(library, "srt_setloghandler"),
            let setLevel = dlsym(library, "srt_setloglevel")
        else { return }
        let handler: Handler = { _, _, _, _, _, message in
            if let message { LibraryLog.addSRT(String(cString: message)) }
        }
        unsafeBitCast(
            setHandler, to: (@convention(c) (UnsafeMutableRawPointer?, Handler) -> Void).self)(
                nil, handler)
        unsafeBitCast(setLevel, to: (@convention(c) (Int32) -> Void).self)(LOG_WARNING)
    }

    /// Adds a line of SRT's own threads. It names no connection: with several, it is nobody's.
    private static func addSRT(_ line: String) {
        lines.withLock { lines in
            guard lines.count == 1, let (thread, known) = lines.first, known.count < limit
            else { return }
            lines[thread] = known + [line]
        }
    }

    /// Forgets the lines of this thread, and listens.
    static func begin() { lines.withLock { $0[UInt(pthread_self())] = [] } }

    /// The lines of this thread.
    static var current: [String] { lines.withLock { $0[UInt(pthread_self())] ?? [] } }

    static func end() { lines.withLock { $0[UInt(pthread_self())] = nil } }
}
