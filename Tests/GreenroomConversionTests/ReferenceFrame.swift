import GreenroomConversion
import GreenroomMedia

/// A picture in double precision with the conversions of the standards: the oracle of the pixel
/// tests. Slow, simple, and independent of the tested code.
///
/// Where the standards leave a choice, it follows this module's documentation: chroma of 4:2:0 is
/// the mean of the pixels that it covers, and applies to all of them; rotating a picture rotates
/// its planes.
struct ReferenceFrame {
    /// A plane of samples.
    struct Plane {
        var width: Int
        var height: Int
        var samples: [Double]

        init(_ width: Int, _ height: Int, _ sample: (Int, Int) -> Double) {
            self.width = width
            self.height = height
            samples = []
            samples.reserveCapacity(width * height)
            for y in 0..<height { for x in 0..<width { samples.append(sample(x, y)) } }
        }

        /// A sample; beyond an edge that of the edge.
        subscript(x: Int, y: Int) -> Double {
            samples[min(y, height - 1) * width + min(x, width - 1)]
        }

        func map(_ transform: (Double) -> Double) -> Plane {
            var plane = self
            plane.samples = samples.map(transform)
            return plane
        }

        /// The mean of each 2 by 2, or of each column of 2.
        func halved(horizontally: Bool = true) -> Plane {
            horizontally
                ? Plane((width + 1) / 2, (height + 1) / 2) { x, y in
                    (self[2 * x, 2 * y] + self[2 * x + 1, 2 * y] + self[2 * x, 2 * y + 1]
                        + self[2 * x + 1, 2 * y + 1]) / 4
                }
                : Plane(width, (height + 1) / 2) { x, y in
                    (self[x, 2 * y] + self[x, 2 * y + 1]) / 2
                }
        }

        func turned(_ rotation: Rotation) -> Plane {
            switch rotation {
            case .none: self
            case .quarter: Plane(height, width) { x, y in self[y, height - 1 - x] }
            case .half: Plane(width, height) { x, y in self[width - 1 - x, height - 1 - y] }
            case .threeQuarters: Plane(height, width) { x, y in self[width - 1 - y, x] }
            }
        }
    }

    /// Y, U, V in 4:2:0 and 8 bits, or red, green, blue.
    var planes: [Plane]
    var isRGB: Bool

    /// Reads a frame byte by byte through its public interface.
    init(_ frame: borrowing VideoFrame) {
        let (width, height) = (frame.size.width, frame.size.height)
        let (chromaWidth, chromaHeight) = ((width + 1) / 2, (height + 1) / 2)
        let bytes = (0..<frame.planeCount).map { plane in
            let span = frame.plane(plane)
            return (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
        }
        let strides = (0..<frame.planeCount).map { frame.strideBytes($0) }

        func plane(
            _ index: Int, _ width: Int, _ height: Int, step: Int = 1, first: Int = 0
        ) -> Plane {
            Plane(width, height) { Double(bytes[index][$1 * strides[index] + $0 * step + first]) }
        }
        func words(
            _ index: Int, _ width: Int, _ height: Int, step: Int = 1, first: Int = 0, shift: Int
        ) -> Plane {
            Plane(width, height) {
                let at = $1 * strides[index] + 2 * ($0 * step + first)
                let sample = Int(bytes[index][at]) + Int(bytes[index][at + 1]) << 8
                return Double(min(255, sample >> shift))
            }
        }
        isRGB = frame.format.isRGB
        switch frame.format {
        case .i420:
            planes = [
                plane(0, width, height), plane(1, chromaWidth, chromaHeight),
                plane(2, chromaWidth, chromaHeight),
            ]
        case .nv12, .nv21:
            let u = frame.format == .nv12 ? 0 : 1
            planes = [
                plane(0, width, height),
                plane(1, chromaWidth, chromaHeight, step: 2, first: u),
                plane(1, chromaWidth, chromaHeight, step: 2, first: 1 - u),
            ]
        case .yuy2, .uyvy:
            let y = frame.format == .yuy2 ? 0 : 1
            planes = [
                plane(0, width, height, step: 2, first: y),
                plane(0, chromaWidth, height, step: 4, first: 1 - y).halved(horizontally: false),
                plane(0, chromaWidth, height, step: 4, first: 3 - y).halved(horizontally: false),
            ]
        case .i010:
            planes = [
                words(0, width, height, shift: 2),
                words(1, chromaWidth, chromaHeight, shift: 2),
                words(2, chromaWidth, chromaHeight, shift: 2),
            ]
        case .p010:
            planes = [
                words(0, width, height, shift: 8),
                words(1, chromaWidth, chromaHeight, step: 2, shift: 8),
                words(1, chromaWidth, chromaHeight, step: 2, first: 1, shift: 8),
            ]
        case .bgra, .bgrx:
            planes = (0..<3).map { plane(0, width, height, step: 4, first: 2 - $0) }
        case .rgba, .rgbx:
            planes = (0..<3).map { plane(0, width, height, step: 4, first: $0) }
        case .rgb24:
            planes = (0..<3).map { plane(0, width, height, step: 3, first: $0) }
        case .mjpeg:
            planes = []
        }
    }

    /// A YUV picture.
    init(y: Plane, u: Plane, v: Plane) {
        planes = [y, u, v]
        isRGB = false
    }

    func turned(_ rotation: Rotation) -> ReferenceFrame {
        var picture = self
        picture.planes = planes.map { $0.turned(rotation) }
        return picture
    }

    /// The weights of red, green and blue in luma, by BT.601 and BT.709.
    static func shares(_ matrix: ColorMatrix) -> [Double] {
        matrix == .bt601 ? [0.299, 0.587, 0.114] : [0.2126, 0.7152, 0.0722]
    }

    /// One colour from RGB to YUV, not rounded.
    static func yuv(_ rgb: [Double], _ color: ColorSpace) -> [Double] {
        let shares = shares(color.matrix)
        let luma = rgb[0] * shares[0] + rgb[1] * shares[1] + rgb[2] * shares[2]
        let u = (rgb[2] - luma) / (1 - shares[2]) / 2
        let v = (rgb[0] - luma) / (1 - shares[0]) / 2
        return color.range == .limited
            ? [16 + luma * 219 / 255, 128 + u * 224 / 255, 128 + v * 224 / 255]
            : [luma, 128 + u, 128 + v]
    }

    /// One colour from YUV to RGB, neither rounded nor clipped.
    static func rgb(_ yuv: [Double], _ color: ColorSpace) -> [Double] {
        let shares = shares(color.matrix)
        let isLimited = color.range == .limited
        let luma = isLimited ? (yuv[0] - 16) * 255 / 219 : yuv[0]
        let chroma = isLimited ? 255.0 / 224 : 1
        let red = luma + 2 * (1 - shares[0]) * (yuv[2] - 128) * chroma
        let blue = luma + 2 * (1 - shares[2]) * (yuv[1] - 128) * chroma
        let green = (luma - shares[0] * red - shares[2] * blue) / shares[1]
        return [red, green, blue]
    }

    /// Converts to RGB.
    func rgb(_ color: ColorSpace) -> ReferenceFrame {
        guard !isRGB else { return self }
        var picture = self
        picture.isRGB = true
        let (width, height) = (planes[0].width, planes[0].height)
        var red: [Double] = []
        var green: [Double] = []
        var blue: [Double] = []
        for y in 0..<height {
            for x in 0..<width {
                let rgb = Self.rgb(
                    [planes[0][x, y], planes[1][x / 2, y / 2], planes[2][x / 2, y / 2]], color)
                red.append(rgb[0])
                green.append(rgb[1])
                blue.append(rgb[2])
            }
        }
        picture.planes = [red, green, blue].map { samples in
            var plane = planes[0]
            plane.samples = samples.map { max(0, min(255, $0)) }
            return plane
        }
        return picture
    }

    /// Converts RGB to YUV of a colour space, or YUV of one to YUV of another.
    func yuv(_ color: ColorSpace, from input: ColorSpace) -> ReferenceFrame {
        guard isRGB || color != input else { return self }
        let (width, height) = (planes[0].width, planes[0].height)
        if isRGB {
            let luma = Plane(width, height) { x, y in
                Self.yuv(planes.map { $0[x, y] }, color)[0]
            }
            let means = planes.map { $0.halved() }
            let chroma = (1...2).map { index in
                Plane(means[0].width, means[0].height) { x, y in
                    Self.yuv(means.map { $0[x, y] }, color)[index]
                }
            }
            return ReferenceFrame(y: luma, u: chroma[0], v: chroma[1])
        }
        func changed(_ yuv: [Double]) -> [Double] { Self.yuv(Self.rgb(yuv, input), color) }
        let luma = Plane(width, height) { x, y in
            changed([planes[0][x, y], planes[1][x / 2, y / 2], planes[2][x / 2, y / 2]])[0]
        }
        let chroma = (1...2).map { index in
            Plane(planes[1].width, planes[1].height) { x, y in
                changed([128, planes[1][x, y], planes[2][x, y]])[index]
            }
        }
        return ReferenceFrame(y: luma, u: chroma[0], v: chroma[1])
    }

    /// The largest difference to a result, in levels.
    ///
    /// - Returns: Infinity if the sizes differ.
    func distance(to made: ReferenceFrame) -> Double {
        guard planes.count == made.planes.count else { return .infinity }
        var worst = 0.0
        for (own, other) in zip(planes, made.planes) {
            guard own.width == other.width, own.height == other.height else { return .infinity }
            for (a, b) in zip(own.samples, other.samples) {
                worst = max(worst, abs(max(0, min(255, a)) - b))
            }
        }
        return worst
    }
}
