import Glibc
import GreenroomAudio
package import GreenroomConversion
import GreenroomModel
import Synchronization

/// A preview of a running track: its newest frame and its loudness.
///
/// The preview keeps frames as they arrive, without a conversion. Convert only the frames that you
/// show.
///
/// Threads: any.
package final class PreviewTap: Sendable {
    /// The loudness of a part of the audio.
    package struct Loudness: Equatable, Sendable {
        /// The root of the mean square, in decibels of full scale; nil for silence.
        package var levelDBFS: Double?
        /// The largest magnitude, in decibels of full scale; nil for silence.
        package var peakDBFS: Double?
    }

    private struct Heard {
        var samples = 0
        var squares = 0.0
        var peak: Int32 = 0
    }

    private static let fullScale = 32_768.0

    private let newest = Mutex<VideoFrame?>(nil)
    private let heard = Mutex(Heard())

    /// Makes a preview without a frame and with silence.
    package init() {}

    /// The newest frame, after the filters of a camera; nil before the first.
    package var frame: VideoFrame? {
        newest.withLock { newest in newest?.share() }
    }

    /// The loudness since the last call.
    package func takeLoudness() -> Loudness {
        let heard = heard.withLock { heard in
            defer { heard = Heard() }
            return heard
        }
        guard heard.peak > 0 else { return Loudness() }
        let mean = heard.squares / Double(heard.samples)
        return Loudness(
            levelDBFS: 20 * log10(mean.squareRoot() / Self.fullScale),
            peakDBFS: 20 * log10(Double(heard.peak) / Self.fullScale))
    }

    /// Takes a frame. [the track's thread]
    package func show(_ frame: consuming VideoFrame) {
        var next: VideoFrame? = consume frame
        newest.withLock { newest in newest = next.take() }
    }
}

extension PreviewTap: AudioSink {
    package func write(_ samples: Span<Int16>) {
        var squares = 0.0
        var peak: Int32 = 0
        for index in samples.indices {
            let sample = Int32(samples[index])
            squares += Double(sample * sample)
            peak = max(peak, abs(sample))
        }
        heard.withLock { heard in
            heard.samples += samples.count
            heard.squares += squares
            heard.peak = max(heard.peak, peak)
        }
    }

    package func finish(until deadline: Int64) {}
}

extension PreviewTap: VideoTap {}
