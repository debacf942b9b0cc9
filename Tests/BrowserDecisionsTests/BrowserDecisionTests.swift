import BrowserDecisions
import GreenroomMedia
import Testing

/// Tests of the decisions of Browser, without a browser.
@Suite struct BrowserDecisionTests {
    // MARK: Addresses

    @Test(arguments: [
        ("/a b/ü#?.html", "", false, "file:///a%20b/%C3%BC%23%3F.html"),
        ("", "https://example.com/a?b=%20#c", true, "https://example.com/a?b=%20#c"),
        ("", "HTTP://h/\n\"", true, "HTTP://h/%0A%22"),
        ("", "data:text/html,<b>x</b>", false, "data:text/html,%3Cb%3Ex%3C/b%3E"),
        ("", "file:///tmp/x.html", false, "file:///tmp/x.html"),
    ])
    func `a page's path becomes a file URL, and illegal characters of a URL are escaped`(
        page: String, url: String, isNetworkGranted: Bool, expected: String
    ) throws {
        let address = try BrowserAddress(page: page, url: url, isNetworkGranted: isNetworkGranted)
        #expect(address.url == expected)
    }

    @Test(arguments: [
        ("", "", "neither a page nor a URL"), ("/x", "data:,", "both page and url"),
        ("", "https://example.com", "needs network: true"), ("", "chrome://gpu", "must begin with"),
        ("", "javascript:1", "must begin with"), ("", "x.html", "for a file use page"),
    ])
    func `a text that is not an address is reported with the fix`(
        page: String, url: String, expected: String
    ) {
        let fault = #expect(throws: InvalidValueError.self) {
            _ = try BrowserAddress(page: page, url: url, isNetworkGranted: false)
        }
        #expect(fault?.description.contains(expected) == true)
    }

    // MARK: Requests

    @Test(arguments: [
        ("file:///site/page.html", true), ("file:///site/a/b.png?x#y", true),
        ("FILE:///site/%61.png", true), ("https://example.com/x", true), ("data:,x", true),
        ("file:///etc/passwd", false), ("file:///site/../etc/passwd", false),
        ("file:///site/..%2Fetc/passwd", false), ("file:///site/%2e%2e/etc/passwd", false),
        ("file:///site2/x", false), ("file:///site/link", false), ("file://host/site/x", false),
        ("file:/etc/passwd", false), ("file:///", false), ("file:///site/%00", false),
        ("file:///site/%zz", false), ("file:///site/missing", false),
    ])
    func `a local page may read files in its folder, and any other page no file`(
        url: String, isAllowed: Bool
    ) throws {
        var gate = PageGate(mainFrame: "main")
        let page = try BrowserAddress(page: "/site/page.html", url: "", isNetworkGranted: false)
        gate.begin(page, resolve: Self.resolved)
        for frame in ["main", "other"] {
            #expect(
                gate.allows(url, frame: frame, status: nil, resolve: Self.resolved) == isAllowed)
        }
        for other in ["https://example.com", "data:,x"] {
            gate.begin(
                try BrowserAddress(page: "", url: other, isNetworkGranted: true),
                resolve: Self.resolved)
            let isFile = url.lowercased().hasPrefix("file:")
            #expect(
                gate.allows(url, frame: "main", status: nil, resolve: Self.resolved) == !isFile)
        }
    }

    /// `realpath` of a made-up file system.
    private static func resolved(_ path: String) -> String? {
        var parts: [Substring] = []
        for part in path.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        let path = "/" + parts.joined(separator: "/")
        return switch path {
        case "/site/link": "/etc/passwd"
        case "/site/missing": nil
        default: path
        }
    }

    @Test
    func `a page has not loaded if its main frame gets an error status or is unreachable`() throws {
        var gate = PageGate(mainFrame: "main")
        let page = try BrowserAddress(page: "", url: "http://h/", isNetworkGranted: true)
        gate.begin(page, resolve: { $0 })
        func answer(_ status: Int, frame: String) -> String? {
            let isAllowed = gate.allows(
                "http://h/x", frame: frame, status: status, resolve: { $0 })
            #expect(isAllowed)
            return gate.failure
        }
        #expect(answer(502, frame: "other") == nil)
        #expect(answer(399, frame: "main") == nil)
        #expect(answer(400, frame: "main") == "the server answered with status 400")
        gate.begin(page, resolve: { $0 })
        #expect(gate.failure == nil)
        gate.navigated("other", isUnreachable: true)
        gate.navigated("main", isUnreachable: false)
        #expect(gate.failure == nil)
        gate.navigated("main", isUnreachable: true)
        #expect(gate.failure != nil)
    }

    // MARK: Start

    private static func words(network: Bool, speaker: Bool, sandbox: ChromiumSandbox) -> [String] {
        BrowserLaunch(
            isNetworkGranted: network, hasSpeaker: speaker, sandbox: sandbox, folder: "/tmp/x"
        ).words
    }

    @Test func `Chromium's arguments block the network and audio unless they are granted`() {
        let closed = Self.words(network: false, speaker: false, sandbox: .own)
        #expect(closed.contains("--host-resolver-rules=MAP * ~NOTFOUND"))
        #expect(closed.contains("--proxy-bypass-list=<-loopback>"))
        #expect(closed.contains("--mute-audio"))
        #expect(!closed.contains("--no-sandbox"))
        let open = Self.words(network: true, speaker: true, sandbox: .landlock)
        #expect(!open.contains { $0.hasPrefix("--host-resolver") || $0.hasPrefix("--proxy") })
        #expect(!open.contains("--mute-audio"))
        #expect(open.contains("--no-sandbox"))
    }

    @Test(arguments: [
        // Root, user namespaces, the helper, new rights; the sandbox with and without Landlock.
        (true, true, true, true, false), (false, true, false, true, true),
        (false, false, true, true, true), (false, false, false, true, false),
        (false, true, true, false, true), (false, false, true, false, false),
    ])
    func `Chromium's sandbox is used if possible, and Landlock otherwise`(
        isRoot: Bool, hasUserNamespaces: Bool, hasHelper: Bool, mayGainRights: Bool,
        isUsable: Bool
    ) {
        func sandbox(hasLandlock: Bool) -> ChromiumSandbox {
            ChromiumSandbox(
                isRoot: isRoot, hasUserNamespaces: hasUserNamespaces, hasHelper: hasHelper,
                mayGainRights: mayGainRights, hasLandlock: hasLandlock)
        }
        #expect(sandbox(hasLandlock: true) == (isUsable ? .own : .landlock))
        let isNone = if case .none = sandbox(hasLandlock: false) { true } else { false }
        #expect(isNone != isUsable)
    }

    @Test(arguments: [
        ("/site/page.html", ["/site"]), ("/site/../site/page.html", ["/site"]),
        ("/site/link", ["/site", "/etc/passwd"]), ("/site/missing", ["/site"]), ("", []),
    ])
    func `Landlock lets Chromium read the page's folder and the target of a linked page`(
        page: String, files: [String]
    ) throws {
        let address = try BrowserAddress(
            page: page, url: page.isEmpty ? "data:,x" : "", isNetworkGranted: false)
        #expect(PageGate.files(of: address, resolve: Self.resolved) == files)
    }

    // MARK: Layout

    @Test(arguments: [
        // The frame, the page and its zoom; the layout, the scale and what is shown.
        ("1280x720", 0, 0, 1.0, "1280x720", 1.0, "1280x720"),
        ("1280x720", 1920, 1080, 1.0, "1920x1080", 2.0 / 3, "1280x720"),
        ("1280x720", 0, 0, 2.0, "640x360", 2.0, "1280x720"),
        ("1280x720", 0, 0, 1.5, "854x480", 1.5, "1280x720"),
        ("1280x720", 600, 600, 1.0, "600x600", 1.2, "720x720"),
        ("320x180", 8192, 1, 0.1, "8192x10", 320.0 / 8192 * 0.1, "320x1"),
    ])
    func `a page's layout follows the frame's size, the page's size and the zoom`(
        frame: String, width: Int, height: Int, zoom: Double, layout: String, scale: Double,
        visible: String
    ) {
        let size = frame.split(separator: "x").compactMap { Int($0) }
        let geometry = PageGeometry(
            frame: FrameSize(width: size[0], height: size[1]), width: width, height: height,
            zoom: zoom)
        #expect("\(geometry.layout)" == layout)
        #expect(abs(geometry.scale - scale) < 1e-9)
        #expect("\(geometry.visible)" == visible)
    }

    // MARK: Pictures

    @Test func `a changing page is captured each frame, a still page within 0.5 s of a change`() {
        var schedule = PictureSchedule()
        let step: Int64 = 33_333_333
        var time: Int64 = 0
        for _ in 0..<20 {
            #expect(schedule.wantsPicture(at: time))
            schedule.tookPicture(isEqual: false, at: time)
            time += step
        }
        // Ten equal pictures: from now on it is still.
        for _ in 0..<10 {
            #expect(schedule.wantsPicture(at: time))
            schedule.tookPicture(isEqual: true, at: time)
            time += step
        }
        #expect(!schedule.wantsPicture(at: time))
        // The damage of the picture itself does not count; the next one does.
        var isChanged = schedule.drewFrame(hasDamage: true)
        #expect(!isChanged)
        isChanged = schedule.drewFrame(hasDamage: false)
        #expect(!isChanged)
        isChanged = schedule.drewFrame(hasDamage: true)
        #expect(isChanged)
        schedule.tookPicture(isEqual: false, at: time)
        #expect(schedule.wantsPicture(at: time + step))
        // A change in the frame after a picture shows half a second later.
        for _ in 0..<10 { schedule.tookPicture(isEqual: true, at: time) }
        #expect(!schedule.wantsPicture(at: time + 499_999_999))
        #expect(schedule.wantsPicture(at: time + 500_000_000))
        schedule.reset()
        #expect(schedule.wantsPicture(at: time))
    }
}
