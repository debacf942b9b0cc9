import Glibc
import GreenroomConversion
import GreenroomMedia

/// A frame for filters. All rows are parts of one row at different offsets, so that filling any
/// size is as fast as copying memory.
struct FilterFrame: Sendable {
    /// The content.
    enum Content: CaseIterable, Sendable {
        /// Random numbers.
        case noise
        /// Rising from the minimum to the maximum.
        case slope
        case black
        case grey
        /// The minimum next to the maximum.
        case edges
    }

    var content: Content
    var color = ColorSpace.bt709Limited
    private let luma: [UInt8]
    private let chroma: [UInt8]

    /// The offset between rows.
    private static let step = 97
    /// The largest offset of a row.
    private static let rowLimit = 4096

    /// - Parameter random: The source of noise.
    init(_ content: Content, color: ColorSpace = .bt709Limited, _ random: SeededRandom) {
        self.content = content
        self.color = color
        let isFull = color.range == .full
        var random = random
        luma = Self.row(content, isFull ? 0...255 : 16...235, black: isFull ? 0 : 16, &random)
        chroma = Self.row(content, isFull ? 0...255 : 16...240, black: 128, &random)
    }

    private static func row(
        _ content: Content, _ range: ClosedRange<UInt8>, black: UInt8, _ random: inout SeededRandom
    ) -> [UInt8] {
        let count = FrameSize.maximumDimension + rowLimit
        switch content {
        case .noise: return (0..<count).map { _ in UInt8.random(in: range, using: &random) }
        case .slope: return (0..<count).map { range.lowerBound + UInt8($0 / 2 % range.count) }
        case .black: return [UInt8](repeating: black, count: count)
        case .grey: return [UInt8](repeating: 128, count: count)
        case .edges:
            return (0..<count).map { $0 / 3 % 2 == 0 ? range.lowerBound : range.upperBound }
        }
    }

    /// Writes the content to a frame.
    ///
    /// - Parameters:
    ///   - padding: The byte for the rest of the planes' pages; nil if the frame's planes share
    ///     pages.
    ///   - number: The frame's number in a moving image.
    func fill(_ frame: inout VideoFrame, padding: UInt8?, number: Int = 0) {
        for index in 0..<frame.planeCount {
            let plane = UnsafePlane(of: frame, index)
            if let padding, let pages = plane.pages.baseAddress {
                memset(pages, Int32(padding), plane.pages.count)
            }
            let row = index == 0 ? luma : chroma
            row.withUnsafeBytes { row in
                for y in 0..<plane.rows {
                    let place = (y + number) * Self.step % Self.rowLimit
                    plane.row(y).copyMemory(
                        from: UnsafeRawBufferPointer(
                            rebasing: row[place..<(place + plane.rowBytes)]))
                }
            }
        }
    }
}

/// Overwritten bytes beside the visible ones of a plane.
struct FilterSpill: Equatable, Sendable {
    enum Place: Equatable, Sendable {
        case before
        case padding(row: Int)
        case after
    }

    var plane: Int
    var place: Place
    var byteCount: Int

    /// The finding as text.
    var text: String {
        let bytes = byteText(byteCount)
        return switch place {
        case .before: "wrote \(bytes) before plane \(plane)"
        case .padding(let row): "wrote \(bytes) of padding behind row \(row) of plane \(plane)"
        case .after: "wrote \(bytes) beyond plane \(plane)"
        }
    }

    /// Finds bytes that differ from ``FilterFrame/fill(_:padding:number:)``.
    static func first(in frame: borrowing VideoFrame, padding: UInt8) -> FilterSpill? {
        for index in 0..<frame.planeCount {
            let plane = UnsafePlane(of: frame, index)
            func spill(_ place: Place, _ bytes: Range<Int>) -> FilterSpill? {
                let written = plane.pages[bytes].count { $0 != padding }
                return written == 0
                    ? nil : FilterSpill(plane: index, place: place, byteCount: written)
            }
            if let spill = spill(.before, 0..<plane.start) { return spill }
            for y in 0..<plane.rows {
                let end = plane.start + y * plane.stride + plane.rowBytes
                let isLast = y == plane.rows - 1
                let next = isLast ? plane.pages.count : plane.start + (y + 1) * plane.stride
                if let spill = spill(isLast ? .after : .padding(row: y), end..<next) {
                    return spill
                }
            }
        }
        return nil
    }
}

/// A plane of a frame and its pages.
///
/// Unsafe: callers keep the frame alive. The pages are the plane's own only in guarded frames.
private struct UnsafePlane {
    private static let page = 4096

    let pages: UnsafeMutableRawBufferPointer
    /// The plane's offset in them.
    let start: Int
    let stride: Int
    let rows: Int
    let rowBytes: Int

    init(of frame: borrowing VideoFrame, _ index: Int) {
        let base = frame.unsafePlanePointer(index)
        let geometry = frame.format.plane(index, of: frame.size)
        start = Int(bitPattern: base) % Self.page
        stride = frame.strideBytes(index)
        rows = geometry.rows
        rowBytes = geometry.rowBytes
        let count = (start + frame.byteCount(index) + Self.page - 1) / Self.page * Self.page
        pages = UnsafeMutableRawBufferPointer(start: base - start, count: count)
    }

    /// The visible bytes of a row.
    func row(_ y: Int) -> UnsafeMutableRawBufferPointer {
        let place = start + y * stride
        return UnsafeMutableRawBufferPointer(rebasing: pages[place..<(place + rowBytes)])
    }
}

/// A number of bytes as text.
func byteText(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }
