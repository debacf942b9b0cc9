/// Turns a row of samples from right to left, in place.
///
/// Chroma of a frame of odd width moves by half a sample, as its last sample stands for one
/// pixel and the others for two.
public func mirror(_ row: inout MutableSpan<UInt8>) {
    var (left, right) = (0, row.count - 1)
    while left < right {
        row.swapAt(left, right)
        left += 1
        right -= 1
    }
}
