import GreenroomMedia

/// Finds out whether a source sends as much sound as time passes.
///
/// It counts in windows of two seconds of the session. A source that is paced by the host, or
/// that keeps time, is never found: too much is only what was refused, too little only what
/// silence had to stand for.
package struct AudioPacing: Sendable {
    /// Frames of the session in a window.
    private static let window = AudioFormat.session.sampleRate * 2
    /// What may be too much or too little, as a part: what single blocks make of a window.
    private static let tolerance = 0.02

    /// The most that a window had too much and too little, as parts.
    package private(set) var excess = 0.0
    package private(set) var shortage = 0.0

    /// Whether a window has begun: sound comes before its time is pulled, and what came before
    /// the first time was pulled belongs to no window.
    private var hasBegun = false
    private var passed = 0
    private var sent = 0.0
    private var refused = 0
    private var concealed = 0

    package init() {}

    /// Counts a block that was sent.
    ///
    /// - Parameter isRefused: Whether the queue had no room for it.
    package mutating func send(_ frames: Int, rate: Int, isRefused: Bool) {
        sent += Double(frames) * Double(AudioFormat.session.sampleRate) / Double(rate)
        if isRefused { refused += 1 }
    }

    /// Begins to count anew: the source has begun, or stopped.
    package mutating func restart() {
        hasBegun = false
        clear()
    }

    private mutating func clear() { (passed, sent, refused, concealed) = (0, 0, 0, 0) }

    /// Counts time, during all of which the source should have sent.
    ///
    /// - Parameter concealed: Frames of it for which there was no sound.
    /// - Returns: What a window shows when it ends.
    package mutating func pass(_ frames: Int, concealed: Int) -> AudioAnomaly? {
        guard hasBegun else {
            clear()
            hasBegun = true
            return nil
        }
        passed += frames
        self.concealed += concealed
        guard passed >= Self.window else { return nil }
        defer { clear() }
        let part = sent / Double(passed) - 1
        if part > Self.tolerance, refused > 0 {
            excess = max(excess, part)
            return .overfeeding(part, refused: refused)
        }
        guard part < -Self.tolerance, Double(self.concealed) > Self.tolerance * Double(passed)
        else { return nil }
        shortage = max(shortage, -part)
        return .underfeeding(-part, concealed: self.concealed)
    }
}
