/// A FIFO of stereo samples of the session's rate, in memory that is allocated once.
package struct SampleRing: Sendable {
    /// The number of frames (a left and a right sample) that fit.
    package let capacity: Int
    private var samples: [Int16]
    private var head = 0
    package private(set) var count = 0

    package init(capacity: Int) {
        self.capacity = capacity
        samples = [Int16](repeating: 0, count: capacity * 2)
    }

    package var room: Int { capacity - count }

    /// Removes all frames.
    package mutating func clear() { count = 0 }

    /// Removes the oldest frames.
    ///
    /// - Parameter frames: The largest number of frames to remove.
    package mutating func removeFirst(_ frames: Int) {
        let frames = min(max(frames, 0), count)
        head = (head + frames) % capacity
        count -= frames
    }

    /// Removes the newest frames.
    ///
    /// - Parameter kept: The largest number of frames to keep, oldest first.
    package mutating func truncate(to kept: Int) { count = min(count, max(kept, 0)) }

    /// Silences all frames, after a fade at the front.
    ///
    /// - Parameter fade: The length of the fade, in frames.
    package mutating func silence(fading fade: Int) {
        var position = head
        for frame in 0..<count {
            let part = max(fade - frame, 0)
            for side in 0...1 {
                samples[position * 2 + side] = Int16(
                    Int(samples[position * 2 + side]) * part / max(fade, 1))
            }
            position = position + 1 == capacity ? 0 : position + 1
        }
    }

    /// Appends as many frames as there is room for.
    ///
    /// - Parameters:
    ///   - interleaved: Samples: stereo, or mono, which is copied to both sides.
    ///   - channels: 1 or 2.
    /// - Returns: The number of frames appended.
    package mutating func append(_ interleaved: Span<Int16>, channels: Int) -> Int {
        let frames = min(interleaved.count / channels, room)
        var position = (head + count) % capacity
        for frame in 0..<frames {
            let left = interleaved[frame * channels]
            samples[position * 2] = left
            samples[position * 2 + 1] = channels == 2 ? interleaved[frame * 2 + 1] : left
            position = position + 1 == capacity ? 0 : position + 1
        }
        count += frames
        return frames
    }

    /// Removes frames from the front.
    ///
    /// - Parameters:
    ///   - output: Stereo samples.
    ///   - offset: The first frame of the output to write.
    ///   - frames: The largest number of frames to remove.
    /// - Returns: The number of frames removed.
    package mutating func take(
        into output: inout MutableSpan<Int16>, at offset: Int, frames: Int
    ) -> Int {
        let frames = min(frames, count, output.count / 2 - offset)
        for frame in 0..<frames {
            output[(offset + frame) * 2] = samples[head * 2]
            output[(offset + frame) * 2 + 1] = samples[head * 2 + 1]
            head = head + 1 == capacity ? 0 : head + 1
        }
        count -= frames
        return frames
    }
}
