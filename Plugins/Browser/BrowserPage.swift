import CLinux
import BrowserDecisions
import GreenroomPlugin
import GreenroomSchema
import PluginProcess
import Synchronization

/// The page of a running browser, with the settings applied so far.
struct BrowserPage: ~Copyable {
    /// The time limit of the page for a frame or a script, in milliseconds of real time.
    private static let patience = 5_000
    /// The time limit of a server for the start of a page, in milliseconds of real time.
    private static let serverPatience = 30_000
    /// The time for which a page may load before the plugin shows it as it is, in milliseconds of real time.
    private static let loadPatience = 10_000

    private var browser: BrowserProcess
    private let host: PluginHost
    private let isTransparent: Bool
    /// The format of pictures. JPEG has no alpha, and costs half as much for a page that changes everywhere.
    private var format: String {
        isTransparent
            ? #"{"format":"png","optimizeForSpeed":true}"#
            : #"{"format":"jpeg","quality":90,"optimizeForSpeed":true}"#
    }
    private let events: PageEvents
    private var address: BrowserAddress?
    private var refusal = ""
    private var settings: BrowserSettings?
    private(set) var geometry: PageGeometry?
    private var schedule = PictureSchedule()
    /// The newest picture.
    private(set) var image: [UInt8] = []
    /// Memory for the next one.
    private var nextImage: [UInt8] = []
    /// Chromium's clock less the session's, in nanoseconds.
    private let clockOffset: Int64
    private var lastTicks: Double = 0

    init(_ browser: consuming BrowserProcess, host: PluginHost, isTransparent: Bool) {
        self.browser = browser
        self.host = host
        self.isTransparent = isTransparent
        events = PageEvents(host: host)
        clockOffset = greenroom_monotonic_now() - host.nowNanoseconds
    }

    /// - Parameter hasAudio: Whether the page takes part with ``exchangeAudio(with:idle:)``.
    mutating func open(hasAudio: Bool, idle: () throws -> Void) throws {
        try browser.openPage(events.handle, idle: idle)
        if isTransparent {
            try call(
                "Emulation.setDefaultBackgroundColorOverride",
                "\"color\":{\"r\":0,\"g\":0,\"b\":0,\"a\":0}", idle)
        }
        if hasAudio {
            // A page's policy may forbid the script's audio processors.
            try call("Page.setBypassCSP", "\"enabled\":true", idle)
            try call(
                "Page.addScriptToEvaluateOnNewDocument",
                "\"source\":\(PageAudioScript.text.quoted)", idle)
        }
        // A dialog would hold the page until somebody answers.
        try call(
            "Page.addScriptToEvaluateOnNewDocument",
            "\"source\":\"alert=()=>{};confirm=()=>false;prompt=()=>null;print=()=>{}\"", idle)
    }

    /// Gives the page what it hears, and takes what it has played.
    mutating func exchangeAudio(with audio: PageAudio, idle: () throws -> Void) throws {
        let heard = audio.heard.withLock { $0.takeAll() }
        var bytes: [UInt8] = []
        try call(
            "Runtime.evaluate", "\"expression\":\(PageAudioScript.exchange(heard).quoted)", idle
        ) { content, text in
            // The script gives a value as soon as the page has run it.
            guard
                case .string(let place) = content.member("result", in: text)?
                    .member("value", in: text)
            else { return }
            if !Base64.decode(text, place, into: &bytes) { bytes = [] }
        }
        audio.played.withLock { $0.append(PageAudioScript.samples(of: bytes)) }
    }

    private mutating func call(
        _ method: String, _ parameters: String, within limit: Int = patience,
        _ idle: () throws -> Void, result: (JSONText, Span<UInt8>) -> Void = { _, _ in }
    ) throws {
        try browser.call(
            method, parameters, within: limit, events.handle, idle: idle, result: result)
    }

    // MARK: Settings

    /// Applies the wishes that have changed.
    ///
    /// - Parameter time: The next frame's, on the session clock.
    mutating func follow(
        _ wish: PageState.Wish, at time: Int64, idle: () throws -> Void
    ) throws {
        let geometry = PageGeometry(
            frame: wish.frame.size, width: wish.settings.width, height: wish.settings.height,
            zoom: wish.settings.zoom)
        if geometry != self.geometry {
            let (width, height) = (geometry.layout.width, geometry.layout.height)
            try call(
                "Emulation.setDeviceMetricsOverride",
                "\"width\":\(width),\"height\":\(height),\"deviceScaleFactor\":\(geometry.scale),"
                    + "\"mobile\":false", idle)
            self.geometry = geometry
            schedule.reset()
        }
        let new = wish.settings
        let old = settings
        settings = new
        if let address = wantedAddress(new), address != self.address || old?.reload != new.reload {
            self.address = address
            try load(address, at: time, idle)
            try style(new.css, idle)
            try run(new.script, idle)
        } else if let old {
            // A page that has navigated by itself has lost both.
            let isOther = events.takeLoad()
            if isOther || old.css != new.css { try style(new.css, idle) }
            if isOther || old.script != new.script { try run(new.script, idle) }
        }
    }

    /// The address of the settings; the page stays as it is if a live change has none.
    private mutating func wantedAddress(_ settings: BrowserSettings) -> BrowserAddress? {
        do throws(PluginError) {
            let address = try settings.address()
            refusal = ""
            return address
        } catch {
            if refusal != error.text {
                host.log(.warning, "\(error.text). Keeping the current page")
            }
            refusal = error.text
            return address
        }
    }

    /// Loads a page, and waits for its content: pictures show no half of it, and a virtual clock waits, too.
    private mutating func load(
        _ address: BrowserAddress, at time: Int64, _ idle: () throws -> Void
    ) throws {
        _ = events.takeLoad()
        var failure: String?
        try browser.begin(address)
        try call(
            "Page.navigate", "\"url\":\(address.url.quoted)", within: Self.serverPatience, idle
        ) { failure = $0.member("errorText", in: $1)?.text(in: $1) }
        if let failure {
            throw BrowserError("\(address.url.prefix(200)): cannot load it: \(failure)")
        }
        try checkNavigation()
        let end = realMilliseconds() + Int64(Self.loadPatience)
        while !events.takeLoad(), realMilliseconds() < end {
            _ = try drawFrame(at: time, 10_000_000, isRead: false, idle)
            try browser.rest(10)
            try checkNavigation()
        }
        schedule.reset()
    }

    private mutating func style(_ css: String, _ idle: () throws -> Void) throws {
        // A style sheet of the page's own is not subject to its content security policy.
        try evaluate(
            "(()=>{let s=window.__greenroom;if(!s){s=window.__greenroom=new CSSStyleSheet();"
                + "document.adoptedStyleSheets=[...document.adoptedStyleSheets,s]}"
                + "s.replaceSync(\(css.quoted))})()", of: "css", idle)
    }

    private mutating func run(_ script: String, _ idle: () throws -> Void) throws {
        if !script.isEmpty { try evaluate(script, of: "script", idle) }
    }

    private mutating func evaluate(
        _ script: String, of setting: String, _ idle: () throws -> Void
    ) throws {
        var failure: String?
        try call("Runtime.evaluate", "\"expression\":\(script.quoted)", idle) {
            failure = PageEvents.failure(in: $0, $1)
        }
        if let failure { host.log(.warning, "\(setting): \(failure)") }
        schedule.reset()
    }

    /// Throws ``BrowserError`` if the page's scripts hang, because frames are drawn without them, or if the page
    /// has navigated to a document that did not load.
    mutating func checkResponse() throws {
        try checkNavigation()
        try browser.ping(within: Self.patience)
    }

    private func checkNavigation() throws {
        guard let failure = browser.failure else { return }
        throw BrowserError("\(address?.url.prefix(200) ?? "the page"): \(failure)")
    }

    // MARK: Pictures

    /// Draws a frame of the page.
    ///
    /// - Parameters:
    ///   - time: The frame's time on the session clock; scripts and animations see the same steps.
    ///   - interval: Until the next one, in nanoseconds.
    /// - Returns: Whether ``image`` has changed.
    mutating func draw(
        at time: Int64, interval: Int64, idle: () throws -> Void
    ) throws -> Bool {
        if !schedule.wantsPicture(at: time) {
            let hasDamage = try drawFrame(at: time, interval, isRead: false, idle)
            guard schedule.drewFrame(hasDamage: hasDamage) else { return false }
        }
        nextImage.removeAll(keepingCapacity: true)
        _ = try drawFrame(at: time, interval, isRead: true, idle)
        try checkNavigation()
        // Chromium has none while it exchanges its renderer.
        guard !nextImage.isEmpty else { return false }
        let isEqual = nextImage == image
        schedule.tookPicture(isEqual: isEqual, at: time)
        if !isEqual { swap(&image, &nextImage) }
        return !isEqual
    }

    /// Draws a frame, and reads it into `nextImage`.
    ///
    /// - Returns: Whether something has changed.
    private mutating func drawFrame(
        at time: Int64, _ interval: Int64, isRead: Bool, _ idle: () throws -> Void
    ) throws -> Bool {
        // Chromium's time never stands still, not even between two frames of one time.
        let ticks = max(Double(time + clockOffset) / 1_000_000, lastTicks + 0.5)
        lastTicks = ticks
        var hasDamage = false
        var read: [UInt8] = []
        swap(&read, &nextImage)
        defer { swap(&read, &nextImage) }
        try call(
            "HeadlessExperimental.beginFrame",
            "\"frameTimeTicks\":\(ticks),\"interval\":\(Double(interval) / 1_000_000)"
                + (isRead ? ",\"screenshot\":\(format)" : ""),
            idle
        ) { result, bytes in
            hasDamage = result.member("hasDamage", in: bytes)?.isTrue ?? false
            guard case .string(let place) = result.member("screenshotData", in: bytes) else {
                return
            }
            if !Base64.decode(bytes, place, into: &read) { read.removeAll(keepingCapacity: true) }
        }
        return hasDamage
    }
}

/// The events of a page, on the page's thread.
private final class PageEvents {
    /// The most errors of a page that are logged.
    private static let mostErrors = 20

    private let host: PluginHost
    private var hasLoaded = false
    private var errorCount = 0

    init(host: PluginHost) { self.host = host }

    func handle(_ event: String, _ content: JSONText, _ bytes: Span<UInt8>) {
        switch event {
        case "Page.domContentEventFired": hasLoaded = true
        case "Runtime.exceptionThrown":
            guard errorCount < Self.mostErrors, let failure = Self.failure(in: content, bytes)
            else {
                return
            }
            errorCount += 1
            host.log(.info, "the page's script: \(failure)")
        default: break
        }
    }

    /// Whether a document has loaded since the last call.
    func takeLoad() -> Bool {
        defer { hasLoaded = false }
        return hasLoaded
    }

    /// The message of an exception.
    static func failure(in content: JSONText, _ bytes: Span<UInt8>) -> String? {
        guard let details = content.member("exceptionDetails", in: bytes) else { return nil }
        let text =
            details.member("exception", in: bytes)?.member("description", in: bytes)?
            .text(in: bytes) ?? details.member("text", in: bytes)?.text(in: bytes) ?? "failed"
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "failed"
        return String(line.prefix(300))
    }
}
