import Glibc

/// What a recording of the hostile plugins `ChordMic` and `PacedChordMic` has to be, computed
/// independently of the product, and how far it is from that.
///
/// The chord depends on the time of the session alone, and repeats each second. It is here since
/// tests are not optimized, and this module is.
public enum Chord {
    /// The sines: frequency and amplitude. Each has whole periods in a window.
    private static let sines: [(hertz: Double, amplitude: Double)] = [
        (300, 7000), (1700, 5000), (7300, 3000),
    ]
    private static let rate = 48_000
    /// The length of the windows in which delays are measured: 10 ms.
    private static let window = 480

    /// A sample of the chord.
    ///
    /// - Parameter time: In samples of 48 kHz since the session's start.
    private static func sample(at time: Double) -> Double {
        let second = time.truncatingRemainder(dividingBy: Double(rate)) / Double(rate)
        var sum = 0.0
        for sine in sines { sum += sine.amplitude * sin(2 * .pi * sine.hertz * second) }
        return sum
    }

    /// The difference of a recording from the chord.
    public struct Difference {
        /// Samples of each channel in the recording.
        public var frames = 0
        /// The delay of each window, in microseconds; positive if it is late.
        public var delays: [Double] = []
        /// The signal's power over that of the difference, in decibels: of the delayed chord.
        public var signalToNoise = 0.0
        /// The largest difference of a sample, of 32768; and where it is.
        public var worst = (difference: 0.0, frame: 0)

        /// The largest change of the delay from one window to the next, in microseconds. A sample
        /// of 48 kHz has 20.8.
        public var largestStep: Double {
            zip(delays, delays.dropFirst()).map { abs($0 - $1) }.max() ?? 0
        }
        /// The largest delay of the second half.
        public var settledDelay: Double {
            delays.suffix(delays.count / 2).map(abs).max() ?? .infinity
        }
        /// The largest delay.
        public var largestDelay: Double { delays.map(abs).max() ?? .infinity }
    }

    /// Compares a recording with the chord.
    ///
    /// - Parameters:
    ///   - path: A WAV file of 48 kHz stereo, both sides alike.
    ///   - isExact: Whether every sample has to be at its time; otherwise each is compared with
    ///     the chord delayed as the windows around it are.
    ///   - skipped: Frames at the beginning and the end that are not compared.
    public static func difference(
        of path: String, isExact: Bool, skipping skipped: (Int, Int)
    ) throws -> Difference {
        try withSamples(of: path) { samples in
            var result = Difference()
            result.frames = samples.count / 2
            let frames = skipped.0..<(result.frames - skipped.1)
            result.delays = try delays(samples, in: frames)
            let second = (0..<rate).map { sample(at: Double($0)) }
            var (signal, noise) = (0.0, 0.0)
            let inWindows = frames.lowerBound + window / 2..<frames.upperBound - window * 3 / 2
            for frame in isExact ? frames : inWindows {
                let expected: Double
                if isExact {
                    expected = second[frame % rate]
                } else {
                    // The delay of a window is that of its middle.
                    let place =
                        Double(frame - frames.lowerBound) / Double(window) - 0.5
                    let index = Int(place)
                    let part = place - Double(index)
                    let delay =
                        result.delays[index] * (1 - part) + result.delays[index + 1] * part
                    expected = sample(at: Double(frame) - delay * Double(rate) / 1e6)
                }
                let difference = Double(samples[frame * 2]) - expected
                signal += expected * expected
                noise += difference * difference
                if abs(difference) > result.worst.difference {
                    result.worst = (abs(difference), frame)
                }
                guard samples[frame * 2] == samples[frame * 2 + 1] else {
                    throw Failure("\(path): the sides differ at \(frame)")
                }
            }
            result.signalToNoise = 10 * log10(signal / max(noise, 1))
            return result
        }
    }

    /// The delay of each window, in microseconds, from the phases of the sines.
    ///
    /// The highest sine gives it, and is unambiguous from one window to the next; the lowest one
    /// has to agree.
    private static func delays(
        _ samples: UnsafeBufferPointer<Int16>, in frames: Range<Int>
    ) throws -> [Double] {
        let (low, high) = (Phases(sines[0].hertz), Phases(sines[2].hertz))
        var delays: [Double] = []
        for first in stride(
            from: frames.lowerBound, through: frames.upperBound - window, by: window)
        {
            let last = delays.last ?? 0
            let fine = high.delay(samples, at: first, near: last)
            let coarse = low.delay(samples, at: first, near: last)
            guard abs(fine - coarse) < 30 else {
                throw Failure("the sines are \(fine) and \(coarse) µs late at \(first)")
            }
            delays.append(fine)
        }
        return delays
    }

    /// One sine over a window.
    private struct Phases {
        let hertz: Double
        let sines: [Double]
        let cosines: [Double]

        init(_ hertz: Double) {
            self.hertz = hertz
            let step = 2 * Double.pi * hertz / Double(rate)
            sines = (0..<window).map { sin(step * Double($0)) }
            cosines = (0..<window).map { cos(step * Double($0)) }
        }

        func delay(
            _ samples: UnsafeBufferPointer<Int16>, at first: Int, near last: Double
        ) -> Double {
            var (x, y) = (0.0, 0.0)
            for index in 0..<window {
                let sample = Double(samples[(first + index) * 2])
                x += sample * sines[index]
                y += sample * cosines[index]
            }
            // Windows begin at multiples of their length, where the phase of each sine is 0.
            let period = 1e6 / hertz
            let delay = -atan2(y, x) / (2 * .pi) * period
            return delay + ((last - delay) / period).rounded() * period
        }
    }

    private static func withSamples<Result>(
        of path: String, _ body: (UnsafeBufferPointer<Int16>) throws -> Result
    ) throws -> Result {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure("can't open \(path)") }
        defer { close(file) }
        let size = Int(lseek(file, 0, SEEK_END))
        guard size > 0, let mapped = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0),
            mapped != MAP_FAILED
        else { throw Failure("can't map \(path)") }
        defer { munmap(mapped, size) }
        let bytes = UnsafeRawBufferPointer(start: mapped, count: size)
        let data = Array("data".utf8)
        let start = bytes.prefix(4096).indices.dropLast(8).first {
            bytes[$0..<$0 + 4].elementsEqual(data)
        }
        guard let start else { throw Failure("\(path) has no samples") }
        return try body(
            UnsafeRawBufferPointer(rebasing: bytes[(start + 8)...]).bindMemory(to: Int16.self))
    }
}
