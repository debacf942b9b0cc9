package import GreenroomPlugin

/// The thread that sends what other programs play, and silence while none plays.
package final class PlaybackLoop: Sendable {
    private let thread: PluginThread

    /// Starts the thread.
    package init(_ node: PipeWireNode, channels: Int, sender: AudioSender) throws {
        thread = try PluginThread(name: "pipewire sink") {
            var sending = Sending(node, channels: channels, sender: sender)
            sending.run()
        }
    }

    /// Waits for the end of the thread, which ends with the sending.
    package func join() { thread.join() }
}

/// The thread's work.
private struct Sending {
    private static let stepNanoseconds: Int64 = 10_000_000
    /// PipeWire delivers what is played in pieces of up to 21 ms: after this time without one nothing
    /// is played.
    private static let longestGapNanoseconds: Int64 = 40_000_000
    /// The time to wait for room in the session's queue.
    private static let timeout = AudioSender.Timeout.nanoseconds(100_000_000)

    private let node: PipeWireNode
    private let sender: AudioSender
    private let host: PluginHost
    private let format: AudioFormat
    private let silence: [Int16]
    private var isDropping = false
    private var hasWarned = false
    /// Until when sound was sent, on the session clock. PipeWire's timer runs as that clock does.
    private var end: Int64 = 0

    init(_ node: PipeWireNode, channels: Int, sender: AudioSender) {
        self.node = node
        self.sender = sender
        host = sender.host
        format = AudioFormat(sampleRate: 48_000, channels: channels)
        // A step.
        silence = [Int16](repeating: 0, count: 480 * channels)
    }

    mutating func run() {
        // The longest block.
        var block = [Int16](repeating: 0, count: 4_800 * format.channels)
        // Drops audio from the time when the microphone was muted.
        while read(&block) > 0 {}
        let before = node.counts.dropped
        defer {
            let dropped = node.counts.dropped - before
            if dropped > 0 {
                host.log(.warning, "\(dropped) samples dropped: playback too fast")
            }
        }
        do throws(SendRefusal) {
            try send(&block)
        } catch {
            if !error.isEnd { host.giveUp(error.text, status: error.status) }
        }
    }

    private func read(_ block: inout [Int16]) -> Int {
        var samples = block.mutableSpan
        return node.read(into: &samples)
    }

    /// Sends until the sending ends.
    private mutating func send(_ block: inout [Int16]) throws(SendRefusal) {
        var now = host.nowNanoseconds
        // As in a silence that has begun long ago.
        end = now - Self.longestGapNanoseconds
        var isPlaying = false
        while host.wait(untilNanoseconds: now + Self.stepNanoseconds) == .ok {
            now = host.nowNanoseconds
            var frames = read(&block)
            if frames == 0 {
                if end + Self.longestGapNanoseconds < now { isPlaying = false }
                try sendSilence(until: now - Self.longestGapNanoseconds)
            } else if !isPlaying {
                isPlaying = true
                try sendSilence(until: now - nanoseconds(of: frames))
            }
            while frames > 0 {
                // After silence instead of samples that were late, these are too many.
                if end <= now + Self.longestGapNanoseconds {
                    try send(block.span.extracting(first: frames * format.channels))
                } else {
                    drop(frames)
                }
                frames = read(&block)
            }
        }
    }

    private mutating func drop(_ frames: Int) {
        node.countDropped(frames)
        if !hasWarned {
            host.log(.warning, "playback too fast; samples dropped")
        }
        hasWarned = true
    }

    private func nanoseconds(of frames: Int) -> Int64 {
        Int64(frames) * 1_000_000_000 / Int64(format.sampleRate)
    }

    /// Sends whole steps of silence.
    private mutating func sendSilence(until time: Int64) throws(SendRefusal) {
        let silence = silence
        while end + Self.stepNanoseconds <= time { try send(silence.span) }
    }

    /// Sends, or drops if the session has no room: the host counts refused blocks.
    private mutating func send(_ samples: Span<Int16>) throws(SendRefusal) {
        do throws(SendRefusal) {
            let start = end
            end += nanoseconds(of: samples.count / format.channels)
            try sender.send(
                samples, format: format, ptsNanoseconds: max(start, 0), timeout: Self.timeout)
            isDropping = false
        } catch {
            guard error.isPassing else { throw error }
            if !isDropping { host.log(.warning, "audio lost: \(error.text)") }
            isDropping = true
        }
    }
}
