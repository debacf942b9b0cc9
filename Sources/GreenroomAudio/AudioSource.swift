/// Where the session's sound comes from.
package protocol AudioSource: AnyObject, Sendable {
    /// Takes the next stretch of the timeline. [the mixer's thread]
    ///
    /// - Parameters:
    ///   - frames: How much, in frames of 48 kHz.
    ///   - output: Room for that many stereo frames or more; they are all written.
    func pull(_ frames: Int, into output: inout MutableSpan<Int16>)
}
