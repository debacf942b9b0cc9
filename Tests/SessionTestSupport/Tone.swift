import Glibc

/// Measurements of audio.
package enum Tone {
    /// The amplitude of one frequency, by Goertzel's algorithm under a Hann window.
    package static func amplitude(of hertz: Double, in samples: some Collection<Double>, rate: Int)
        -> Double
    {
        let count = Double(samples.count)
        guard count > 1 else { return 0 }
        let step = 2 * Double.pi * hertz / Double(rate)
        var (last, beforeLast) = (0.0, 0.0)
        for (index, sample) in samples.enumerated() {
            let window = 0.5 - 0.5 * cos(2 * Double.pi * Double(index) / (count - 1))
            (last, beforeLast) = (sample * window + 2 * cos(step) * last - beforeLast, last)
        }
        let power = last * last + beforeLast * beforeLast - 2 * cos(step) * last * beforeLast
        return 4 * max(0, power).squareRoot() / count
    }

    /// The frequency of a sine, from its upward zero crossings.
    ///
    /// - Returns: nil if there are fewer than two.
    package static func frequency(of samples: some Collection<Double>, rate: Int) -> Double? {
        frequency(ofCrossings: crossings(in: samples)[...], rate: rate)
    }

    /// The frequency of a sine in the longest part of it that nothing interrupts: no gap, no jump and
    /// no fade. A busy machine may interrupt what is played in real time.
    ///
    /// - Parameter near: The frequency that is expected, within 1 %.
    /// - Returns: The frequency, and how long that part is; nil without any.
    package static func steadyFrequency(
        in samples: some Collection<Double>, near: Double, rate: Int
    ) -> (hertz: Double, seconds: Double)? {
        let crossings = crossings(in: samples)
        let period = Double(rate) / near
        var (longest, begin) = (0..<0, 0)
        for index in crossings.indices {
            if index > 0, abs(crossings[index] - crossings[index - 1] - period) > period / 100 {
                begin = index
            }
            if index + 1 - begin > longest.count { longest = begin..<index + 1 }
        }
        let part = crossings[longest]
        return frequency(ofCrossings: part, rate: rate).map {
            ($0, Double(part.count - 1) / $0)
        }
    }

    private static func crossings(in samples: some Collection<Double>) -> [Double] {
        var crossings: [Double] = []
        var previous = 0.0
        for (index, sample) in samples.enumerated() {
            if index > 0, previous < 0, sample >= 0 {
                crossings.append(Double(index - 1) + previous / (previous - sample))
            }
            previous = sample
        }
        return crossings
    }

    private static func frequency(ofCrossings crossings: ArraySlice<Double>, rate: Int) -> Double? {
        guard let first = crossings.first, let last = crossings.last, crossings.count > 1 else {
            return nil
        }
        return Double(crossings.count - 1) * Double(rate) / (last - first)
    }

    /// The positions of breaks, jumps and gaps in a sine.
    ///
    /// A sine obeys x[n] = 2 cos(w) x[n-1] - x[n-2]; a deviation is a break.
    ///
    /// - Parameter tolerance: The largest deviation of a sample from the prediction; rounding to 16
    ///   bits causes up to 2.
    package static func breaks(
        in samples: [Double], frequency: Double, rate: Int, tolerance: Double
    ) -> [Int] {
        let factor = 2 * cos(2 * Double.pi * frequency / Double(rate))
        return samples.indices.dropFirst(2).filter { index in
            abs(samples[index] - factor * samples[index - 1] + samples[index - 2]) > tolerance
        }
    }

    /// The root of the mean square.
    package static func loudness(of samples: some Collection<Double>) -> Double {
        guard !samples.isEmpty else { return 0 }
        return (samples.reduce(0) { $0 + $1 * $1 } / Double(samples.count)).squareRoot()
    }
}
