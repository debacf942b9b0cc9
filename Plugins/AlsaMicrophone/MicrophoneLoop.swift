import GreenroomALSA
import GreenroomPlugin
import Synchronization

/// The thread that captures and sends audio. Reopens the device after an outage.
final class MicrophoneLoop: Sendable {
    private let capture: Capture
    private let thread: PluginThread

    /// Starts the thread.
    init(settings: AlsaMicrophone.Settings, sender: AudioSender) throws {
        let capture = Capture(settings: settings, sender: sender)
        self.capture = capture
        thread = try PluginThread(name: "alsa capture") { capture.run() }
    }

    /// Ends the thread. Nothing is sent after the return.
    func stop() {
        capture.isStopping.store(true, ordering: .relaxed)
        thread.join()
    }
}

/// The thread's work, and its stop flag.
private final class Capture: Sendable {
    /// The time to wait for audio before checking the stop flag, in milliseconds.
    private static let waitMilliseconds = 100
    /// After this time without audio the device counts as lost: 2 s.
    private static let longestSilenceNanoseconds: Int64 = 2_000_000_000
    /// The time to wait for room in the session's queue: half of the device's buffer.
    private static let sendTimeout = AudioSender.Timeout.nanoseconds(100_000_000)

    let isStopping = Atomic(false)
    private let settings: AlsaMicrophone.Settings
    private let sender: AudioSender
    private let host: PluginHost

    init(settings: AlsaMicrophone.Settings, sender: AudioSender) {
        self.settings = settings
        self.sender = sender
        host = sender.host
    }

    func run() {
        var outage = Outage()
        while !isStopping.load(ordering: .relaxed) {
            do {
                try capture(&outage)
            } catch let refusal as SendRefusal {
                if !refusal.isEnd { host.giveUp(refusal.text, status: refusal.status) }
                return
            } catch {
                let (isNews, pause) = outage.fail()
                if isNews {
                    host.log(.warning, "no audio, retrying every few seconds: \(error)")
                }
                guard host.wait(untilNanoseconds: host.nowNanoseconds + pause) == .ok else {
                    return
                }
            }
        }
    }

    /// Opens the device, reads and sends until the thread must stop.
    ///
    /// - Throws: Why the device or the session stopped working.
    private func capture(_ outage: inout Outage) throws {
        var card = try PCM.capturing(settings)
        let format = AudioFormat(sampleRate: card.sampleRate, channels: card.channels)
        let longest = card.sampleRate * AudioFormat.longestBlockMilliseconds / 1000
        var block = [Int16](
            repeating: 0, count: max(min(card.periodFrames, longest), 1) * card.channels)
        var lastHeard = host.nowNanoseconds
        var isRecovering = false
        var isDropping = false
        try card.start()
        while !isStopping.load(ordering: .relaxed) {
            var samples = block.mutableSpan
            guard let heard = try next(&samples, of: &card, isRecovering: &isRecovering) else {
                guard host.nowNanoseconds - lastHeard < Self.longestSilenceNanoseconds else {
                    throw PluginError(
                        "\(settings.device): no audio for 2 seconds; check that it is "
                            + "plugged in and switched on")
                }
                continue
            }
            lastHeard = host.nowNanoseconds
            if outage.end() { host.log(.info, "\(settings.device): audio again") }
            let block = block.span.extracting(first: heard.frames * card.channels)
            isDropping = try !send(block, format, heard.ptsNanoseconds, tells: !isDropping)
        }
    }

    /// The next captured block; nil after a while without audio. Recovers from overruns, and logs
    /// the first one after working audio.
    private func next(
        _ samples: inout MutableSpan<Int16>, of card: inout PCM, isRecovering: inout Bool
    ) throws(ALSAError) -> (frames: Int, ptsNanoseconds: Int64)? {
        do throws(ALSAError) {
            guard try card.wait(milliseconds: Self.waitMilliseconds) else { return nil }
            let waiting = try card.delayFrames
            let frames = try card.read(into: &samples)
            guard frames > 0 else { return nil }
            // The first sample is older by the duration of all waiting samples.
            let old = min(max(waiting, frames), card.bufferFrames)
            let age = Int64(old) * 1_000_000_000 / Int64(card.sampleRate)
            isRecovering = false
            return (frames, max(host.nowNanoseconds - age, 0))
        } catch {
            try card.recover(from: error)
            try card.start()
            if !isRecovering {
                host.log(.warning, "\(settings.device): some audio was lost: \(error.message)")
            }
            isRecovering = true
            return nil
        }
    }

    /// Sends a block, or drops it if the device is faster than the session: the host counts refused
    /// blocks.
    ///
    /// - Parameter tells: Whether to log a refusal.
    /// - Returns: Whether the block was accepted.
    private func send(
        _ block: Span<Int16>, _ format: AudioFormat, _ ptsNanoseconds: Int64, tells: Bool
    ) throws(SendRefusal) -> Bool {
        do throws(SendRefusal) {
            try sender.send(
                block, format: format, ptsNanoseconds: ptsNanoseconds,
                timeout: Self.sendTimeout)
            return true
        } catch {
            guard error.isPassing else { throw error }
            if tells { host.log(.warning, "\(settings.device): \(error.text)") }
            return false
        }
    }
}
