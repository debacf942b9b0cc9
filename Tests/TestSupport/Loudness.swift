extension [Int16] {
    /// The frame that is loudest on the first channel, the first of equals; 0 without any.
    ///
    /// It is here because tests are not optimized, and this module is.
    public func loudestFrame(channels: Int) -> Int {
        var (loudest, level) = (0, UInt16(0))
        for (frame, index) in stride(from: 0, to: count, by: channels).enumerated()
        where self[index].magnitude > level {
            (loudest, level) = (frame, self[index].magnitude)
        }
        return loudest
    }
}
