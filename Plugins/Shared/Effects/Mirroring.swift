/// Mirrors a row of samples in place.
///
/// Chroma of an odd width moves by half a sample, because its last sample covers one pixel and the
/// others two.
public func mirror(_ row: inout MutableSpan<UInt8>) {
    var (left, right) = (0, row.count - 1)
    while left < right {
        row.swapAt(left, right)
        left += 1
        right -= 1
    }
}
