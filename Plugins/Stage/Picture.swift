import CLibYUV
import PluginImages
import GreenroomPlugin
import StageDecisions

/// The planes of a picture in I420, for libyuv. Valid while the memory behind them is borrowed.
struct Planes {
    var y: UnsafeMutablePointer<UInt8>
    var u: UnsafeMutablePointer<UInt8>
    var v: UnsafeMutablePointer<UInt8>
    var strideY: Int32
    var strideU: Int32
    var strideV: Int32
    var size: FrameSize

    /// A picture without padding, with even sides.
    fileprivate init(at start: UnsafeMutablePointer<UInt8>, _ size: FrameSize) {
        let half = Int32(clamping: size.width / 2)
        y = start
        u = start + size.area
        v = start + size.area * 5 / 4
        (strideY, strideU, strideV) = (Int32(clamping: size.width), half, half)
        self.size = size
    }

    init(
        y: UnsafeMutablePointer<UInt8>, u: UnsafeMutablePointer<UInt8>,
        v: UnsafeMutablePointer<UInt8>, strideY: Int32, strideU: Int32, strideV: Int32,
        size: FrameSize
    ) {
        (self.y, self.u, self.v) = (y, u, v)
        (self.strideY, self.strideU, self.strideV) = (strideY, strideU, strideV)
        self.size = size
    }

    /// A part of the picture, with even edges, that lies within it.
    func part(_ rect: StageRect) -> Planes {
        var part = self
        part.y += rect.y * Int(strideY) + rect.x
        part.u += rect.y / 2 * Int(strideU) + rect.x / 2
        part.v += rect.y / 2 * Int(strideV) + rect.x / 2
        part.size = rect.size
        return part
    }

    /// Fills it with one colour.
    func fill(_ color: YUVColor) {
        I420Rect(
            y, strideY, u, strideU, v, strideV, 0, 0, Int32(size.width), Int32(size.height),
            Int32(color.y), Int32(color.u), Int32(color.v))
    }

    /// Blends an overlay that was made for this size.
    func blend(_ overlay: Overlay) {
        let planes = [
            (y, Int(strideY), size.width), (u, Int(strideU), size.width / 2),
            (v, Int(strideV), size.width / 2),
        ]
        for (index, (start, stride, width)) in planes.enumerated() {
            for row in overlay.rows(ofPlane: index) {
                var pixels = MutableSpan(
                    _unsafeElements: UnsafeMutableBufferPointer(
                        start: start + row * stride, count: width))
                overlay.blend(into: &pixels, row: row, ofPlane: index)
            }
        }
    }

    /// Writes all of it to another picture, scaled if that has another size.
    func draw(to target: Planes) {
        let (width, height) = (Int32(size.width), Int32(size.height))
        guard target.size != size else {
            I420Copy(
                y, strideY, u, strideU, v, strideV, target.y, target.strideY, target.u,
                target.strideU, target.v, target.strideV, width, height)
            return
        }
        I420Scale(
            y, strideY, u, strideU, v, strideV, width, height, target.y, target.strideY, target.u,
            target.strideU, target.v, target.strideV, Int32(target.size.width),
            Int32(target.size.height), kFilterBox)
    }
}

/// A colour as I420 has it.
struct YUVColor {
    var y: UInt8
    var u: UInt8
    var v: UInt8

    init(red: UInt8, green: UInt8, blue: UInt8, in color: ColorSpace) {
        let yuv = YUVConversion(to: color).convert(
            red: Double(red), green: Double(green), blue: Double(blue))
        func byte(_ value: Double) -> UInt8 { UInt8(clamping: Int(value.rounded())) }
        (y, u, v) = (byte(yuv.y), byte(yuv.u), byte(yuv.v))
    }
}

/// A picture in I420 with its own memory, which is allocated once for each size.
struct Picture {
    private(set) var size: FrameSize
    private var bytes: [UInt8]

    /// - Parameter size: With even sides.
    init(_ size: FrameSize) {
        self.size = size
        bytes = [UInt8](repeating: 128, count: size.area * 3 / 2)
    }

    /// Gives it another size, with undefined content.
    mutating func resize(to size: FrameSize) {
        if size != self.size { self = Picture(size) }
    }

    /// Calls `body` with the writable planes. The planes are valid only during the call.
    mutating func withPlanes(_ body: (Planes) -> Void) {
        let size = size
        bytes.withUnsafeMutableBufferPointer { bytes in
            if let start = bytes.baseAddress { body(Planes(at: start, size)) }
        }
    }

    /// Writes a part of it to the same part of a picture of the same size.
    func draw(_ part: StageRect, to target: Planes) {
        bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            // Only read.
            Planes(at: UnsafeMutablePointer(mutating: start), size).part(part)
                .draw(to: target.part(part))
        }
    }

    /// Writes it to another picture, scaled if that has another size.
    func draw(to target: Planes) {
        bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            // Only read.
            Planes(at: UnsafeMutablePointer(mutating: start), size).draw(to: target)
        }
    }

    /// Blends an overlay that was made for this size.
    mutating func blend(_ overlay: Overlay) { withPlanes { $0.blend(overlay) } }

    /// Takes the pixels of a frame; one of another size is scaled as `fit` says.
    ///
    /// - Parameter size: The tile's size, with even sides.
    mutating func take(
        _ frame: borrowing OutputFrame, fit: StageFit, size: FrameSize, bars: YUVColor
    ) {
        resize(to: size)
        let source = frame.size
        // The host checked the planes of I420; an odd side loses its last row or column.
        guard frame.format == .i420, source.width > 1, source.height > 1 else { return }
        let crop = Self.part(of: source, filling: fit == .crop ? size : source)
        let place = fit == .letterbox ? Self.place(of: source, in: size) : StageRect(size)
        // Valid until the callback returns; libyuv only reads them.
        func bytes(_ plane: Int) -> UnsafeMutablePointer<UInt8>? {
            frame.plane(plane).withUnsafeBytes { $0.baseAddress }.map {
                UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: UInt8.self))
            }
        }
        guard let y = bytes(0), let u = bytes(1), let v = bytes(2) else { return }
        let from = Planes(
            y: y, u: u, v: v, strideY: Int32(clamping: frame.strideBytes(ofPlane: 0)),
            strideU: Int32(clamping: frame.strideBytes(ofPlane: 1)),
            strideV: Int32(clamping: frame.strideBytes(ofPlane: 2)), size: source)
        withPlanes { target in
            if place != StageRect(size) { target.fill(bars) }
            from.part(crop).draw(to: target.part(place))
        }
    }

    /// The middle of a picture with the shape of another one.
    private static func part(of source: FrameSize, filling size: FrameSize) -> StageRect {
        let width = min(source.width, source.height * size.width / max(size.height, 1))
        let height = min(source.height, source.width * size.height / max(size.width, 1))
        return StageRect(
            x: (source.width - width) / 2, y: (source.height - height) / 2, width: width,
            height: height
        ).even
    }

    /// The place of a whole picture in another one.
    private static func place(of source: FrameSize, in size: FrameSize) -> StageRect {
        let width = min(size.width, size.height * source.width / max(source.height, 1))
        let height = min(size.height, size.width * source.height / max(source.width, 1))
        return StageRect(
            x: (size.width - width) / 2, y: (size.height - height) / 2, width: width,
            height: height
        ).even
    }
}
