public import GreenroomMedia

/// Converts frames into what consumers want.
///
/// Threads: one converter for each thread.
public final class FrameConverter {
    /// Conversions run, identities not counted.
    public private(set) var conversionCount = 0
    /// Bytes written into frames by conversions, scratch frames included.
    public private(set) var bytesWritten = 0

    /// Makes a converter.
    public init() {}

    /// Converts a frame; where nothing needs doing, the result is another reference to it.
    ///
    /// - Parameters:
    ///   - frame: The frame. Its info says what its pixels mean.
    ///   - want: What the consumer takes.
    ///   - pool: Where the result comes from.
    /// - Returns: The converted frame; its info says what it is now, with stamp and revision
    ///   carried over.
    /// - Throws: ``ConversionError``.
    public func convert(
        _ frame: borrowing VideoFrame, to want: VideoWant, into pool: FramePool
    ) throws(ConversionError) -> VideoFrame {
        guard frame.format == want.format, want.size == nil || want.size == frame.size else {
            throw .unsupported("\(frame.format) to \(want.format)")
        }
        return frame.share()
    }
}
