extension RawSpan {
    /// A byte.
    func byte(_ offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    /// Whether two ranges of bytes are equal.
    func equals(_ count: Int, at place: Int, and other: Int) -> Bool {
        var done = 0
        while done + 8 <= count {
            guard
                unsafeLoadUnaligned(fromByteOffset: place + done, as: UInt64.self)
                    == unsafeLoadUnaligned(fromByteOffset: other + done, as: UInt64.self)
            else { return false }
            done += 8
        }
        while done < count {
            guard byte(place + done) == byte(other + done) else { return false }
            done += 1
        }
        return true
    }
}
