package import GreenroomMedia

/// A mode of a camera: a format in a size, up to a rate.
package struct CameraMode: Hashable, Sendable {
    /// The camera's format, as four letters of ASCII from the lowest byte on.
    package var code: UInt32
    package var size: FrameSize
    /// The frame rate; nil if the camera does not report it.
    package var rate: FrameRate?

    package init(code: UInt32, size: FrameSize, rate: FrameRate?) {
        (self.code, self.size, self.rate) = (code, size, rate)
    }

    /// The format of its frames; nil if the session does not take it, such as H.264.
    package var format: PixelFormat? { Self.formats.first { $0.code == code }?.format }

    /// Whether its frames are H.264, which the plugin decodes.
    package var isH264: Bool { code == Self.code("H264") }

    /// Whether its frames can be read.
    package var isUsable: Bool { format != nil || isH264 }

    /// The letters of a format, such as `YUYV`.
    package var letters: String {
        String(
            (0..<4).map { index in
                let byte = UInt8(truncatingIfNeeded: code >> (8 * UInt32(index)))
                return (0x21...0x7E).contains(byte) ? Character(Unicode.Scalar(byte)) : " "
            })
    }

    /// A format's number by its letters.
    package static func code(_ letters: StaticString) -> UInt32 {
        letters.withUTF8Buffer { $0.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// The formats that the session accepts, the cheapest first.
    private static let formats: [(code: UInt32, format: PixelFormat)] = [
        (code("NV12"), .nv12), (code("YU12"), .i420), (code("NV21"), .nv21),
        (code("YUYV"), .yuy2), (code("UYVY"), .uyvy), (code("BGR4"), .bgrx), (code("XR24"), .bgrx),
        (code("RGB3"), .rgb24), (code("MJPG"), .mjpeg), (code("JPEG"), .mjpeg),
    ]

    /// The work per frame: the place in the list of formats. H.264 is the last.
    var cost: Int {
        Self.formats.firstIndex { $0.code == code } ?? Self.formats.count
    }
}

/// The mode of a camera for an offer, and the answer to the offer.
package struct CameraChoice: Equatable, Sendable {
    package var mode: CameraMode
    /// The size and rate of the frames. Without a rate of the mode it is the offer's.
    package var capability: VideoCapability
    /// Whether the offer has a row for it; otherwise the host adapts the frames.
    package var isOffered: Bool

    /// Chooses a mode.
    ///
    /// Order of preference. Size: suggested; largest offered; smallest above the suggestion;
    /// largest. Rate: lowest sufficient; highest. Format: cheapest.
    ///
    /// - Parameters:
    ///   - modes: The camera's.
    ///   - suggested: The best row of the offer.
    ///   - supported: All rows.
    /// - Returns: nil if the camera has no format that can be read.
    package init?(
        of modes: [CameraMode], for suggested: VideoCapability, supported: [VideoCapability]
    ) {
        let usable = modes.filter { $0.isUsable && $0.size.isLegal }
        guard let size = Self.size(of: usable, suggested, supported) else { return nil }
        let row = supported.first { $0.size == size }
        isOffered = size == suggested.size || row != nil
        let wanted = size == suggested.size ? suggested.rate : row?.rate ?? suggested.rate
        func order(_ mode: CameraMode) -> (Int, Double, Int) {
            guard let rate = mode.rate?.framesPerSecond else { return (0, 0, mode.cost) }
            // Cameras say 29.97 and 30.00003.
            let isEnough = rate >= wanted.framesPerSecond * 0.99
            return (isEnough ? 0 : 1, isEnough ? rate : -rate, mode.cost)
        }
        guard let mode = usable.filter({ $0.size == size }).min(by: { order($0) < order($1) })
        else { return nil }
        self.mode = mode
        let rate = min(mode.rate ?? wanted, wanted)
        capability = VideoCapability(size: size, rate: rate)
    }

    private static func size(
        of modes: [CameraMode], _ suggested: VideoCapability, _ supported: [VideoCapability]
    ) -> FrameSize? {
        let sizes = Set(modes.map(\.size))
        if sizes.contains(suggested.size) { return suggested.size }
        func isLess(_ first: FrameSize, _ second: FrameSize) -> Bool {
            (first.area, first.width) < (second.area, second.width)
        }
        let offered = supported.map(\.size).filter {
            sizes.contains($0) && $0.area <= suggested.size.area
        }
        if let best = offered.max(by: isLess) { return best }
        let larger = sizes.filter {
            $0.width >= suggested.size.width && $0.height >= suggested.size.height
        }
        return larger.min(by: isLess) ?? sizes.max(by: isLess)
    }
}
