// Loops over many samples: tests are not optimized, and this module is.

extension [Int16] {
    /// The frame that is loudest on the first channel, the first of equals; 0 without any.
    public func loudestFrame(channels: Int) -> Int {
        var (loudest, level) = (0, UInt16(0))
        for (frame, index) in stride(from: 0, to: count, by: channels).enumerated()
        where self[index].magnitude > level {
            (loudest, level) = (frame, self[index].magnitude)
        }
        return loudest
    }
}

extension [UInt8] {
    /// The samples of each channel of 16-bit PCM, which begins at an offset.
    public func samples(at offset: Int, channels: Int, frames: Int) -> [[Double]] {
        (0..<channels).map { channel in
            (0..<frames).map { frame in
                let place = offset + 2 * (frame * channels + channel)
                let value = UInt16(self[place]) | UInt16(self[place + 1]) << 8
                return Double(Int16(bitPattern: value))
            }
        }
    }
}
