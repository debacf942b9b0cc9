import Glibc
import GreenroomConversion
import GreenroomMedia

/// A picture that filters are given to edit, made of one row again and again, each time from
/// another place on: whatever its size it is made as fast as memory is copied.
struct FilterFrame: Sendable {
    /// What it shows.
    enum Content: CaseIterable, Sendable {
        /// Numbers by chance.
        case noise
        /// What rises from the least to the most.
        case slope
        case black
        case grey
        /// The least beside the most.
        case edges
    }

    var content: Content
    var color = ColorSpace.bt709Limited
    private let luma: [UInt8]
    private let chroma: [UInt8]

    /// How far rows begin apart.
    private static let step = 97
    /// Where the rows begin at most.
    private static let rowLimit = 4096

    /// - Parameter random: What noise is made from.
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

    /// Writes it to a frame.
    ///
    /// - Parameters:
    ///   - padding: What is written to the rest of the pages that the planes lie in; nil for a frame
    ///     whose planes share pages with others.
    ///   - number: Tells the frames of a moving picture apart.
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

/// Bytes beside the visible ones of a plane that have been written.
struct FilterSpill: Equatable, Sendable {
    enum Place: Equatable, Sendable {
        case before
        case padding(row: Int)
        case after
    }

    var plane: Int
    var place: Place
    var byteCount: Int

    /// What was written, in words.
    var text: String {
        let bytes = byteText(byteCount)
        return switch place {
        case .before: "wrote \(bytes) before plane \(plane)"
        case .padding(let row): "wrote \(bytes) of padding behind row \(row) of plane \(plane)"
        case .after: "wrote \(bytes) beyond plane \(plane)"
        }
    }

    /// Looks for what is not as ``FilterFrame/fill(_:padding:number:)`` has left it.
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

/// A plane of a frame and the pages that it lies in.
///
/// Unsafe: valid while the frame lives, which its users see to, and alone in its pages only where
/// frames are guarded.
private struct UnsafePlane {
    private static let page = 4096

    let pages: UnsafeMutableRawBufferPointer
    /// Where the plane begins in them.
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

/// So many bytes, in words.
func byteText(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }
