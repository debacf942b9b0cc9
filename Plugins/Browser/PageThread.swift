import BrowserDecisions
import GreenroomPlugin
import PluginProcess
import GreenroomSystem
import Synchronization

/// Takes the pictures of a page, on the page's thread.
protocol PictureSink {
    /// Whether the page is drawn on nothing, and not on white.
    var isTransparent: Bool { get }

    /// Shows a picture.
    ///
    /// - Parameters:
    ///   - picture: Empty before the first one.
    ///   - isNew: Whether it differs from the one before.
    ///   - time: The time to show the picture, on the session clock.
    mutating func show(_ picture: PagePicture, isNew: Bool, at time: Int64) throws(SendRefusal)
}

/// A page that is drawn at a steady rate, on a separate thread, until the sending stops.
final class PageThread: Sendable {
    private let state: PageState
    private let thread: PluginThread

    /// Starts the thread.
    ///
    /// - Parameter makeSink: Runs on the thread.
    init(
        _ wish: PageState.Wish, host: PluginHost,
        makeSink: @escaping @Sendable () -> any PictureSink
    ) throws {
        let state = PageState(wish, stop: try StopSignal())
        self.state = state
        thread = try PluginThread(name: "web page") {
            var work = PageWork(state: state, host: host, sink: makeSink())
            work.run()
        }
    }

    /// Changes the page from the next frame on.
    func change(_ body: (inout PageState.Wish) -> Void) { state.wish.withLock { body(&$0) } }

    /// Ends the thread and the browser. Nothing is shown after the return.
    func stop() {
        state.stop.set()
        thread.join()
    }

    deinit { stop() }
}

/// The state that the thread and its owner share.
final class PageState: Sendable {
    /// The wishes that the page follows.
    struct Wish: Sendable {
        var settings: BrowserSettings
        var frame: VideoCapability
    }

    let wish: Mutex<Wish>
    let stop: StopSignal

    init(_ wish: Wish, stop: StopSignal) {
        self.wish = Mutex(wish)
        self.stop = stop
    }
}

/// The loop of the page's thread.
private struct PageWork {
    /// The longest time without a frame, in nanoseconds.
    private static let keepAlive: Int64 = 500_000_000

    let state: PageState
    let host: PluginHost
    var sink: any PictureSink
    private var picture = PagePicture()
    private var lastShown: Int64
    /// The last line about Chromium's sandbox.
    private var sandboxLine = ""

    init(state: PageState, host: PluginHost, sink: any PictureSink) {
        self.state = state
        self.host = host
        self.sink = sink
        lastShown = host.nowNanoseconds
    }

    mutating func run() {
        var delay = RestartDelay()
        var told = ""
        // A virtual clock waits for a thread from its first use of the clock on.
        guard host.wait(untilNanoseconds: host.nowNanoseconds) == .ok else { return }
        while true {
            let start = host.nowNanoseconds
            var reason: String
            do {
                try drive()
                return
            } catch is CancellationError {
                return
            } catch let refusal as SendRefusal {
                if !refusal.isEnd { host.giveUp(refusal.text, status: refusal.status) }
                return
            } catch let loss as BrowserError {
                reason = loss.description
            } catch {
                reason = "\(error)"
            }
            let length = delay.next(afterRun: host.nowNanoseconds - start)
            reason += "; restarting the page in \(RestartDelay.text(length))"
            if reason != told { host.log(.warning, reason) }
            told = reason
            guard pause(until: host.nowNanoseconds + length) else { return }
        }
    }

    /// Shows the last picture until a time.
    ///
    /// - Returns: false if sending stops before.
    private mutating func pause(until end: Int64) -> Bool {
        while host.nowNanoseconds < end {
            let next = min(end, lastShown + Self.keepAlive)
            guard host.wait(untilNanoseconds: next) == .ok else { return false }
            do throws(SendRefusal) { try keepAlive() } catch { return !error.isEnd }
        }
        return true
    }

    /// Shows the last picture again if it is due.
    private mutating func keepAlive() throws(SendRefusal) {
        let now = host.nowNanoseconds
        guard now - lastShown >= Self.keepAlive else { return }
        try show(isNew: false, at: now)
    }

    private mutating func show(isNew: Bool, at due: Int64) throws(SendRefusal) {
        // The picture that was shown meanwhile may be later than this one was due.
        let time = max(due, lastShown)
        do throws(SendRefusal) {
            try sink.show(picture, isNew: isNew, at: time)
        } catch {
            // The host counts it.
            guard error.isPassing else { throw error }
        }
        lastShown = time
    }

    /// Runs a browser and draws its page until the sending stops.
    private mutating func drive() throws {
        let browser = try BrowserProcess(
            state.wish.withLock { $0.settings }, stop: state.stop
        ) { line in
            if line != sandboxLine { host.log(.warning, line) }
            sandboxLine = line
        }
        var page = BrowserPage(browser, host: host, isTransparent: sink.isTransparent)
        let name = state.wish.withLock { $0.settings.name }
        let audio = name.isEmpty ? nil : PageAudio.named(name)
        try page.open(hasAudio: audio != nil, idle: { try keepAlive() })
        var due = host.nowNanoseconds
        while host.wait(untilNanoseconds: due) == .ok {
            let wish = state.wish.withLock { $0 }
            let interval = wish.frame.rate.dueNanoseconds(ofFrame: 1)
            try page.follow(wish, at: due, idle: { try keepAlive() })
            let isNew = try page.draw(
                at: due, interval: interval, idle: { try keepAlive() })
            if isNew, let visible = page.geometry?.visible {
                try picture.decode(page.image, showing: visible)
            }
            try show(isNew: isNew, at: due)
            if let audio { try page.exchangeAudio(with: audio, idle: { try keepAlive() }) }
            try page.checkResponse()
            let now = host.nowNanoseconds
            due = due + interval < now ? now : due + interval
        }
    }
}
