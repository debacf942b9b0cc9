@_exported import Dispatch
@_exported import Foundation
@_exported import GreenroomPlugin

/// The main thread of an app, which a plugin does not have: a serial queue.
///
/// Vendors' callbacks run on it, so a timer that they schedule fires there, and code that hops to
/// `DispatchQueue.main` finds it.
package enum MainQueue {
    fileprivate static let queue = DispatchQueue(label: "main")
    private static let key = {
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the caller runs on it.
    package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Runs a callback on it, and returns when the callback has.
    package static func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        isCurrent ? try body() : try queue.sync(execute: body)
    }
}

extension DispatchQueue {
    /// The queue that the vendors' callbacks run on. The process's own main thread belongs to
    /// Greenroom and serves no queue.
    public static var main: DispatchQueue { MainQueue.queue }
}

/// The host of the library's plugins, for calls that have no sender: logs and clocks.
package enum VendorHost {
    private static let lock = NSLock()
    nonisolated(unsafe) private static var host: PluginHost?
    nonisolated(unsafe) private static var explained: Set<String> = []

    /// The host of the newest instance.
    package static var current: PluginHost? {
        get { lock.withLock { host } }
        set { lock.withLock { host = newValue } }
    }

    /// Logs a line.
    package static func log(_ level: PluginHost.LogLevel = .info, _ text: String) {
        current?.log(level, text)
    }

    /// Logs once for each call why it has no effect here.
    package static func explain(_ call: String, _ cure: String) {
        let isNew = lock.withLock { explained.insert(call).inserted }
        if isNew { log(.info, "\(call) has no effect in Greenroom: \(cure)") }
    }
}

/// A sender that a vendor's object holds: it sends between start and stop alone.
///
/// Vendors' pumps end some time after the callback that stops them. ``close()`` waits for a send that
/// runs, and later ones end in the gate.
package final class SendGate<Sender>: @unchecked Sendable {
    private let lock = NSLock()
    private let sender: Sender
    private var isOpen = false

    /// Makes a closed gate.
    package init(_ sender: Sender) { self.sender = sender }

    /// The sender, for calls that send nothing.
    package var value: Sender { sender }

    /// Lets sends through.
    package func open() { lock.withLock { isOpen = true } }

    /// Refuses sends from now on.
    package func close() { lock.withLock { isOpen = false } }

    /// Sends.
    ///
    /// - Returns: Why the host refused; nil if it took the media.
    package func send(_ body: (Sender) throws(SendRefusal) -> Void) -> Status? {
        lock.lock()
        defer { lock.unlock() }
        guard isOpen else { return .stopped }
        do {
            try body(sender)
            return nil
        } catch {
            // Many pumps ignore what a send returns.
            if error.isEnd { isOpen = false }
            return error.status
        }
    }
}
