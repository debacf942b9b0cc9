/// Takes the edges off missing audio: what was played last, backwards, fades away within 5 ms, and
/// what comes next fades in.
struct Concealment: Sendable {
    private static let fade = Int(JitterBuffer.fade)

    /// What was played last, as stereo frames.
    private var tail = [Int16](repeating: 0, count: 2 * fade)
    /// How many of these there are.
    private var count = 0
    /// Frames since audio was missing first.
    private var missing = 0
    /// Frames that were played since; nil when they have faded in.
    private var risen: Int?

    /// Writes what stands for missing frames.
    mutating func conceal(_ output: inout MutableSpan<Int16>, at offset: Int, _ frames: Int) {
        if risen != 0 { (missing, risen) = (0, 0) }
        for frame in offset..<(offset + frames) {
            guard missing < count else { break }
            for side in 0...1 { output[frame * 2 + side] = falling(side) }
            missing += 1
        }
    }

    /// Lets audio fade in that follows missing audio, and remembers the end of it.
    mutating func play(_ output: inout MutableSpan<Int16>, at offset: Int, _ frames: Int) {
        if var risen {
            for frame in offset..<(offset + frames) where risen < Self.fade {
                for side in 0...1 {
                    let (old, new) = (Int(falling(side)), Int(output[frame * 2 + side]))
                    let sum = old * (Self.fade - risen) + new * risen
                    output[frame * 2 + side] = Int16(clamping: sum / Self.fade)
                }
                missing += 1
                risen += 1
            }
            self.risen = risen < Self.fade ? risen : nil
            // The tail is what still fades away.
            guard risen >= Self.fade else { return }
        }
        let kept = min(frames, Self.fade)
        for index in 0..<(2 * (Self.fade - kept)) { tail[index] = tail[index + 2 * kept] }
        let first = 2 * (offset + frames - kept)
        for index in 0..<(2 * kept) { tail[2 * (Self.fade - kept) + index] = output[first + index] }
        count = min(count + kept, Self.fade)
    }

    /// What is left of the audio before, on one side.
    private func falling(_ side: Int) -> Int16 {
        guard missing < count else { return 0 }
        let sample = Int(tail[2 * (Self.fade - 1 - missing) + side])
        return Int16(clamping: sample * (Self.fade - missing) / Self.fade)
    }
}
