import GreenroomPlugin

/// A test pattern: colour bars or grey stripes, a moving ball, and a frame counter and clock that
/// people and programs can read.
///
/// ## Layout
///
/// With a frame of W by H pixels, and divisions rounded down:
///
/// - **Bars**: bar k of 0 to 7 covers the columns k·W/8 up to (k+1)·W/8. From the left they
///   are white, yellow, cyan, green, magenta, red, blue and black, each component 0 or 191
///   (75 %) of 255.
/// - **Grey stripes**: stripe k of 0 to 15 covers the rows k·H/16 up to (k+1)·H/16, in grey
///   100 + 10·k of 255.
/// - **The ball** is white, H/16 in radius, its middle 7·H/8 from the top. It moves from edge to
///   edge and back, `speed` crossings a second.
/// - **Counter and clock**, at half the height, for people: the frame's index, and hours, minutes,
///   seconds and milliseconds since the start.
///
/// ## The machine-readable code
///
/// 64 cells, black or white, in 4 rows of 16 at the top left, half as wide as the picture and a
/// quarter as high. The cell in column c and row r covers the columns c·W/32 up to (c+1)·W/32 and
/// the rows r·H/16 up to (r+1)·H/16. Positions scale with the picture: the middle of a cell is at
/// ((2c+1)·W/64, (2r+1)·H/32). Luma above the mean of black and white is 1.
///
/// Row by row from the left, most significant bit first, the cells contain:
///
/// | cells | bits | content |
/// | --- | --- | --- |
/// | 0–3 | 4 | 1 0 1 0 |
/// | 4–27 | 24 | the frame's index, modulo 2²⁴ |
/// | 28–51 | 24 | its timestamp on the session clock in whole milliseconds, modulo 2²⁴ |
/// | 52–59 | 8 | 255 minus (the sum of the six bytes of index and stamp, modulo 256) |
/// | 60–63 | 4 | 0 1 0 1 |
///
/// The index is that of the pump's time slot, so skipped frames leave a gap. Pictures of less than
/// 128 columns or 64 rows have no code and no clock. From 256 by 128 on, cells have at least 8
/// pixels a side, and the code survives scaling to half.
struct ColorBars: Camera {
    static let plugin = PluginDescription(
        id: "org.greenroom.color-bars", name: "ColorBars", version: "1.0.0",
        summary: "Colour bars or grey stripes with a frame counter that programs can read",
        vendor: "Greenroom")

    /// The background of counter and ball.
    enum Pattern: String, CaseIterable { case bars, grey }

    struct Settings: PluginSettings {
        var pattern = Pattern.bars
        var format = FormatChoice.auto
        var range = RangeChoice.limited
        var matrix = MatrixChoice.auto
        var hasCounter = true
        var hasBall = true
        var speed = 0.5

        static let table: [Setting<Self>] = [
            .choice("pattern", \.pattern, title: "Pattern", live: true),
            .choice("format", \.format, title: "Pixel format; auto: bars i420, grey nv12"),
            .choice("range", \.range, title: "Colour range"),
            .choice(
                "matrix", \.matrix,
                title: "Colour matrix; auto: bt709 from 720 lines on, else bt601"),
            .boolean("counter", \.hasCounter, title: "Frame counter and clock", live: true),
            .boolean("ball", \.hasBall, title: "Moving ball", live: true),
            .number(
                "speed", \.speed, in: 0...10, title: "Crossings of the ball", unit: "per second",
                live: true),
        ]
    }

    private var settings: Settings
    private var background: Background?
    /// The size of the first offer. Outputs have the usual matrix of this size.
    private var size = FrameSize(width: 1, height: 1)

    init(settings: Settings, host: PluginHost) { self.settings = settings }

    mutating func onSettingsChange(_ settings: Settings) { self.settings = settings }

    var format: PixelFormat { settings.format.format(for: settings.pattern) }
    var color: ColorSpace {
        ColorSpace(range: settings.range.range, matrix: settings.matrix.matrix(for: size))
    }

    mutating func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer {
        size = suggested.size
        return .accept
    }

    mutating func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        let key = Background.Key(
            pattern: settings.pattern, format: frame.format, size: frame.size,
            color: frame.info.color)
        let background =
            if let kept = self.background, kept.key == key { kept } else { Background(key) }
        self.background = background
        background.draw(into: &frame)

        let brush = Brush(format: frame.format, color: frame.info.color)
        if settings.hasBall {
            drawBall(into: &frame, at: time.seconds * settings.speed, with: brush)
        }
        if settings.hasCounter, Code.fits(frame.size) {
            Code(index: time.index, ptsNanoseconds: time.ptsNanoseconds)
                .draw(into: &frame, with: brush)
            Clock(index: time.index, seconds: time.seconds).draw(into: &frame, with: brush)
        }
    }

    /// - Parameter crossings: The number of times that the ball has crossed the picture.
    private func drawBall(
        into frame: inout MutableFrame, at crossings: Double, with brush: Brush
    ) {
        let radius = frame.height / 16
        guard radius > 0, frame.width > 2 * radius else { return }
        let phase = crossings.truncatingRemainder(dividingBy: 2)
        let way = phase < 1 ? phase : 2 - phase
        let middle = radius + Int(Double(frame.width - 1 - 2 * radius) * way)
        let row = 7 * frame.height / 8
        for dy in -radius...radius {
            let reach = Int(Double(radius * radius - dy * dy).squareRoot())
            brush.paint(
                &frame, columns: middle - reach..<middle + reach + 1, rows: row + dy..<row + dy + 1,
                brush.white)
        }
    }
}

/// The pixel formats that the plugin can draw: all uncompressed ones.
struct FormatChoice: RawRepresentable, CaseIterable {
    /// The format; nil to choose the format that suits the pattern best.
    var format: PixelFormat?

    static let auto = FormatChoice()
    static let allCases =
        [auto] + PixelFormat.allCases.filter { !$0.isCompressed }.map { FormatChoice(format: $0) }

    init(format: PixelFormat? = nil) { self.format = format }

    init?(rawValue: String) {
        guard let choice = Self.allCases.first(where: { $0.rawValue == rawValue }) else {
            return nil
        }
        self = choice
    }

    var rawValue: String { format?.name ?? "auto" }

    func format(for pattern: ColorBars.Pattern) -> PixelFormat {
        format ?? (pattern == .grey ? .nv12 : .i420)
    }
}

/// The colour ranges in session files.
enum RangeChoice: String, CaseIterable {
    case limited, full

    var range: ColorRange { self == .limited ? .limited : .full }
}

/// The colour matrices in session files.
enum MatrixChoice: String, CaseIterable {
    case auto, bt601, bt709

    func matrix(for size: FrameSize) -> ColorMatrix {
        switch self {
        case .auto: .usual(for: size)
        case .bt601: .bt601
        case .bt709: .bt709
        }
    }
}
