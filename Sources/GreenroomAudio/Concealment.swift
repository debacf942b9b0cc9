/// Smooths the edges of missing audio. The last audio, reversed, fades out within 5 ms, and the
/// next audio fades in.
///
/// After a hole of less than 5 ms, the fades overlap for the length of the hole, so that the audio
/// before the hole is not audible again after it.
struct Concealment: Sendable {
    private static let fade = Int(JitterBuffer.fade)
    /// The shortest fade, in frames: 1 ms.
    private static let shortestRise = fade / 5

    /// The last output, as stereo frames: audio and silence.
    private var tail = [Int16](repeating: 0, count: 2 * fade)
    /// The output before the hole.
    private var before = [Int16](repeating: 0, count: 2 * fade)
    /// Whether the last frame was missing.
    private var isMissing = false
    /// The number of frames since the hole began.
    private var missing = fade
    /// The number of fade-in frames played since the hole ended.
    private var risen = 0
    private var rise = 0

    /// Writes the replacement of missing frames.
    mutating func conceal(_ output: inout MutableSpan<Int16>, at offset: Int, _ frames: Int) {
        if !isMissing {
            // Copy the elements, because shared memory would be copied later.
            for index in tail.indices { before[index] = tail[index] }
            (isMissing, missing) = (true, 0)
        }
        for frame in offset..<(offset + min(frames, max(Self.fade - missing, 0))) {
            for side in 0...1 { output[frame * 2 + side] = falling(side) }
            missing += 1
        }
        remember(output, at: offset, frames)
    }

    /// Fades in audio that follows missing audio.
    mutating func play(_ output: inout MutableSpan<Int16>, at offset: Int, _ frames: Int) {
        if isMissing {
            isMissing = false
            (risen, rise) = (0, min(max(missing, Self.shortestRise), Self.fade))
        }
        for frame in offset..<(offset + min(frames, rise - risen)) {
            for side in 0...1 {
                let (old, new) = (Int(falling(side)), Int(output[frame * 2 + side]))
                let sum = old * (rise - risen) + new * risen
                output[frame * 2 + side] = Int16(clamping: sum / rise)
            }
            missing += 1
            risen += 1
        }
        remember(output, at: offset, frames)
    }

    /// Stores the output, which fades out if the next audio is missing.
    mutating func remember(_ output: borrowing MutableSpan<Int16>, at offset: Int, _ frames: Int) {
        let kept = min(frames, Self.fade)
        for index in 0..<(2 * (Self.fade - kept)) { tail[index] = tail[index + 2 * kept] }
        let first = 2 * (offset + frames - kept)
        for index in 0..<(2 * kept) { tail[2 * (Self.fade - kept) + index] = output[first + index] }
    }

    /// Returns the rest of the audio before the hole, on one side.
    private func falling(_ side: Int) -> Int16 {
        guard missing < Self.fade else { return 0 }
        let sample = Int(before[2 * (Self.fade - 1 - missing) + side])
        return Int16(clamping: sample * (Self.fade - missing) / Self.fade)
    }
}
