public import GreenroomNegotiation
import GreenroomPluginInterface
public import GreenroomMedia

/// How important a line of the log is.
public enum LogLevel: String, Sendable, Comparable, Codable {
    /// For whoever looks for a fault.
    case debug
    /// Worth knowing.
    case info
    /// Something is not as it should be, and the session goes on.
    case warning
    /// Something failed.
    case error

    /// Less important first.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.order < right.order
    }

    private var order: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    /// The level that a plugin names by a `GR_LOG_…`; any other number is information.
    init(plugin level: UInt32) {
        self =
            switch level {
            case 1: .debug
            case 3: .warning
            case 4: .error
            default: .info
            }
    }
}

/// Something that happened in a session.
public enum SessionEvent: Sendable {
    /// Source and session agreed on a size and a rate.
    case agreed(role: String, agreement: Agreement, NegotiationRecord)
    /// A source has had a new offer while it runs.
    case renegotiated(role: String, NegotiationRecord)
    /// Why a picture is what it is, on request.
    case explanation(role: String, NegotiationRecord)
    /// A command was carried out; the text says what it was.
    case commanded(origin: String, text: String)
    /// All sources were started; recordings begin at this moment.
    case started
    /// A plugin wrote a line.
    case pluginLog(role: String, level: LogLevel, text: String)
    /// A plugin refused a step, or broke a rule.
    case stepFailed(role: String, step: String, status: Status, reason: String)
    /// A callback has not returned by its deadline, and is running still.
    case callbackHangs(role: String, callback: String, seconds: Double)
    /// A plugin says that it is lost for good.
    case pluginGaveUp(role: String, status: Status, reason: String)
    /// A broadcast has connected; the text says who.
    case broadcastArrived(role: String, text: String)
    /// A process wanted to broadcast and was sent away; the text says who and why.
    case broadcastRefused(role: String, text: String)
    /// A share has nothing new for now, and its last picture stays.
    case sharePaused(role: String)
    /// A share goes on.
    case shareResumed(role: String)
    /// The process that a plugin lived in has ended, or was ended for what it did.
    case pluginLost(role: String, evidence: String)
    /// A plugin that was lost is started again after some seconds.
    case pluginRestarts(role: String, seconds: Double)
    /// A plugin is back that was away for some seconds.
    case pluginReturned(role: String, seconds: Double)
    /// A source has sent nothing for some seconds, though it should; the text says what stands for
    /// it, and the cure.
    case sourceSilent(role: String, seconds: Double, text: String)
    /// A source sends again, after some seconds.
    case sourceSends(role: String, seconds: Double)
    /// The session goes on without a plugin.
    case pluginDropped(role: String)
    /// An output failed; the others go on.
    case outputFailed(output: String, reason: String)
    /// Something that a user should know, and that ends nothing.
    case note(role: String, text: String)
    /// The session is stopping.
    case stopping(reason: String)
    /// Everything has ended.
    case ended
}

/// Where events go.
package struct SessionEvents: Sendable {
    private let handler: @Sendable (SessionEvent) -> Void
    private let waker: @Sendable () -> Void

    /// - Parameters:
    ///   - handler: Called on any thread, several at once.
    ///   - waker: Lets the session look after its plugins at once; called likewise.
    package init(
        _ handler: @escaping @Sendable (SessionEvent) -> Void,
        waker: @escaping @Sendable () -> Void = {}
    ) {
        self.handler = handler
        self.waker = waker
    }

    func send(_ event: SessionEvent) { handler(event) }

    /// Says that something happened that the session has to look after.
    func wake() { waker() }
}
