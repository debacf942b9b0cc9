/// Provides audio of the session.
package protocol AudioSource: AnyObject, Sendable {
    /// Writes the next block of the timeline. [the mixer's thread]
    ///
    /// - Parameters:
    ///   - frames: The length of the block, in frames of 48 kHz.
    ///   - output: Memory for at least that many stereo frames. Every frame is written.
    /// - Returns: The number of frames that the source had sent; the rest is silence.
    @discardableResult
    func pull(_ frames: Int, into output: inout MutableSpan<Int16>) -> Int
}
