import BrowserDecisions
import GreenroomPlugin
import Synchronization

/// The newest overlay, between the page's thread and the frames.
private final class OverlayExchange: Sendable {
    struct Content: Sendable {
        var overlay: PageOverlay
        /// The meaning of the frames' values.
        var color: ColorSpace
    }

    let content: Mutex<Content>

    init(_ color: ColorSpace) {
        content = Mutex(Content(overlay: PageOverlay(color: color), color: color))
    }
}

/// Makes overlays of pictures.
private struct OverlaySink: PictureSink {
    let isTransparent = true
    let exchange: OverlayExchange
    /// Made while the frames have the other one.
    private var spare: PageOverlay

    init(_ exchange: OverlayExchange) {
        self.exchange = exchange
        spare = PageOverlay(color: exchange.content.withLock { $0.color })
    }

    mutating func show(_ picture: PagePicture, isNew: Bool, at time: Int64) throws(SendRefusal) {
        let (shown, color) = exchange.content.withLock { ($0.overlay.color, $0.color) }
        guard !picture.isEmpty, isNew || color != shown else { return }
        spare.make(
            from: picture.pixels, strideBytes: picture.strideBytes, size: picture.visible,
            color: color)
        exchange.content.withLock { swap(&$0.overlay, &spare) }
    }
}

/// Lays a web page over the video. Frames never wait for the page: each gets its newest picture.
final class BrowserOverlay: VideoSourcePreProcessor {
    static let plugin = PluginDescription(
        id: "org.greenroom.browser", name: "Browser", version: "1.0.0",
        summary: "Overlays a web page on the video; transparent areas show the video",
        vendor: "Greenroom", needs: .ownSandbox)

    private var settings: BrowserSettings
    private let host: PluginHost
    private var frame: VideoCapability?
    private var exchange: OverlayExchange?
    private var page: PageThread?

    init(settings: BrowserSettings, host: PluginHost) throws {
        _ = try settings.address()
        self.settings = settings
        self.host = host
    }

    func onSettingsChange(_ settings: BrowserSettings) {
        self.settings = settings
        page?.change { $0.settings = settings }
    }

    func onPreProcessInitialize(_ capability: VideoCapability) throws {
        try BrowserProcess.find()
        try BrowserProcess.probe()
        frame = capability
    }

    /// The page is laid out for any size.
    func onPreProcessPropertyChange(_ capability: VideoCapability) {
        frame = capability
        page?.change { $0.frame = capability }
    }

    func onPreProcessStart() throws {
        guard let frame else { return }
        let exchange = OverlayExchange(
            ColorSpace(range: .limited, matrix: .usual(for: frame.size)))
        self.exchange = exchange
        page = try PageThread(PageState.Wish(settings: settings, frame: frame), host: host) {
            OverlaySink(exchange)
        }
    }

    func onPreProcessRawData(_ frame: inout MutableFrame) {
        exchange?.content.withLock { content in
            content.color = frame.info.color
            let overlay = content.overlay
            // In pairs of pixels: chroma has one sample for two.
            let left = max(frame.width - overlay.size.width, 0) / 4
            let top = max(frame.height - overlay.size.height, 0) / 4
            for plane in 0..<frame.planeCount {
                let scale = plane == 0 ? 2 : 1
                for row in 0..<overlay.rows(ofPlane: plane) {
                    var pixels = frame.row(top * scale + row, ofPlane: plane)
                    overlay.blend(into: &pixels, row: row, ofPlane: plane, at: left * scale)
                }
            }
        }
    }

    func onPreProcessStop() {
        page?.stop()
        page = nil
        exchange = nil
    }
}
