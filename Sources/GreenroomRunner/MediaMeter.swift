import Glibc
import GreenroomIPC

/// Counts what the calling thread allocates and locks, if `libgreenroom-meter` was loaded before all
/// other libraries of the process.
struct MediaMeter: Sendable {
    private typealias Begin = @convention(c) () -> Void
    private typealias End = @convention(c) (UnsafeMutablePointer<UInt64>) -> Void

    private let begin: Begin
    private let end: End

    /// The process's; nil if it has none.
    static let ofProcess: MediaMeter? = {
        guard let begin = dlsym(nil, "greenroom_meter_begin"),
            let end = dlsym(nil, "greenroom_meter_end")
        else { return nil }
        // As the library's header declares them.
        return MediaMeter(
            begin: unsafeBitCast(begin, to: Begin.self), end: unsafeBitCast(end, to: End.self))
    }()

    /// Counts while a body runs.
    func count<Result>(into notes: inout ProcessStatistics, _ body: () -> Result) -> Result {
        var counts = InlineArray<4, UInt64>(repeating: 0)
        begin()
        let result = body()
        var span = counts.mutableSpan
        span.withUnsafeMutableBufferPointer { buffer in
            if let base = buffer.baseAddress { end(base) }
        }
        notes.allocations = counts[0]
        notes.allocatedBytes = counts[1]
        notes.frees = counts[2]
        notes.locks = counts[3]
        return result
    }
}
