/// The orientation of a camera, as in EXIF tag 0x0112, which determines how to make the image
/// upright.
enum EXIFOrientation: UInt16, CaseIterable {
    case upright = 1
    case mirrored = 2
    case halfTurn = 3
    case flipped = 4
    case transposed = 5
    case quarterTurn = 6
    case transversed = 7
    case threeQuarterTurn = 8

    /// Whether width and height are swapped.
    var swapsSides: Bool { rawValue >= 5 }

    /// Returns the position in the stored image of the pixel at `x`, `y` in the upright image.
    ///
    /// - Parameters:
    ///   - width: The width of the stored image.
    ///   - height: The height of the stored image.
    func source(ofX x: Int, y: Int, width: Int, height: Int) -> (x: Int, y: Int) {
        switch self {
        case .upright: (x, y)
        case .mirrored: (width - 1 - x, y)
        case .halfTurn: (width - 1 - x, height - 1 - y)
        case .flipped: (x, height - 1 - y)
        case .transposed: (y, x)
        case .quarterTurn: (y, height - 1 - x)
        case .transversed: (width - 1 - y, height - 1 - x)
        case .threeQuarterTurn: (width - 1 - y, x)
        }
    }
}

// MARK: Lookup

extension EXIFOrientation {
    /// Returns the orientation in the first directory of a TIFF structure; nil if there is none.
    static func orientation(inTIFF tiff: ArraySlice<UInt8>) -> EXIFOrientation? {
        let isBigEndian: Bool
        switch tiff.bigEndian16(at: 0) {
        case 0x4D4D: isBigEndian = true
        case 0x4949: isBigEndian = false
        default: return nil
        }
        func number16(_ offset: Int) -> UInt16? {
            tiff.bigEndian16(at: offset).map { isBigEndian ? $0 : $0.byteSwapped }
        }
        func number32(_ offset: Int) -> Int? {
            guard let first = number16(offset), let second = number16(offset + 2) else {
                return nil
            }
            let (high, low) = isBigEndian ? (first, second) : (second, first)
            return Int(high) << 16 | Int(low)
        }

        guard let directory = number32(4), let count = number16(directory) else { return nil }
        for index in 0..<Int(count) {
            let entry = directory + 2 + index * 12
            guard let tag = number16(entry) else { return nil }
            if tag == 0x0112 { return number16(entry + 8).flatMap(Self.init(rawValue:)) }
        }
        return nil
    }
}
