import Glibc

/// Counts what the calling thread allocates and locks, if `libgreenroom-meter` was loaded before all
/// other libraries of the process.
struct AllocationMeter: Sendable {
    private typealias Begin = @convention(c) () -> Void
    private typealias End = @convention(c) (UnsafeMutablePointer<UInt64>) -> Void

    private let begin: Begin
    private let end: End

    /// The process's; nil if the library was not loaded.
    static let ofProcess: AllocationMeter? = {
        guard let begin = dlsym(nil, "greenroom_meter_begin"),
            let end = dlsym(nil, "greenroom_meter_end")
        else { return nil }
        // As the library's header declares them.
        return AllocationMeter(
            begin: unsafeBitCast(begin, to: Begin.self), end: unsafeBitCast(end, to: End.self))
    }()

    /// Counts while a body runs.
    func count<Result>(in statistics: inout EditStatistics, _ body: () -> Result) -> Result {
        var counts = InlineArray<4, UInt64>(repeating: 0)
        begin()
        let result = body()
        var span = counts.mutableSpan
        span.withUnsafeMutableBufferPointer { buffer in
            if let base = buffer.baseAddress { end(base) }
        }
        statistics.allocations = counts[0]
        statistics.allocatedBytes = counts[1]
        statistics.frees = counts[2]
        statistics.locks = counts[3]
        return result
    }
}
