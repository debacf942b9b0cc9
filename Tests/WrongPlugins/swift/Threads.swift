// Cameras that send on threads of Swift's own: good ones, for checks that must not find a fault, and
// one that joins nothing.

import Dispatch
import Foundation
import GreenroomPlugin
import Synchronization

/// What a camera shares with its threads.
final class Link: Sendable {
    let sender: VideoSender
    let size: FrameSize
    let isStopping = Atomic(false)
    /// Signalled by a thread at its end.
    let end = DispatchSemaphore(value: 0)

    init(sender: VideoSender, size: FrameSize) {
        self.sender = sender
        self.size = size
    }

    /// Sends a frame; false if no more are wanted.
    func send(_ number: Int) -> Bool {
        guard !isStopping.load(ordering: .relaxed) else { return false }
        do {
            var lease = try sender.acquire(format: .i420, size: size)
            lease.fill(plane: 0, with: UInt8(16 + number % 200))
            lease.fill(plane: 1, with: UInt8(100 + number % 40))
            lease.fill(plane: 2, with: UInt8(160 - number % 40))
            try lease.commit(FrameInfo(ptsNanoseconds: sender.host.nowNanoseconds))
            return true
        } catch {
            return error.isPassing
        }
    }
}

/// Sends from a timer of a run loop, on a thread that stop-send waits for.
struct RunLoopCamera: VideoSource {
    static let plugin = PluginDescription(
        id: "org.example.run-loop", name: "RunLoop", version: "1.0.0",
        summary: "Sends from a timer of Foundation's RunLoop")
    private var link: Link?

    init(settings: NoSettings, host: PluginHost) {}

    mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer {
        link = Link(sender: sender, size: suggested.size)
        return .accept
    }

    mutating func onStartSend() {
        guard let old = link else { return }
        let link = Link(sender: old.sender, size: old.size)
        self.link = link
        Thread.detachNewThread {
            let number = Atomic(0)
            let timer = Timer(timeInterval: 1.0 / 30, repeats: true) { _ in
                _ = link.send(number.add(1, ordering: .relaxed).newValue)
            }
            RunLoop.current.add(timer, forMode: .default)
            while !link.isStopping.load(ordering: .relaxed) {
                _ = RunLoop.current.run(
                    mode: .default, before: Date(timeIntervalSinceNow: 0.02))
            }
            timer.invalidate()
            link.end.signal()
        }
    }

    mutating func onStopSend() {
        link?.isStopping.store(true, ordering: .relaxed)
        link?.end.wait()
    }
}

/// Sends from a timer of Dispatch, whose queue stop-send waits for.
struct DispatchCamera: VideoSource {
    static let plugin = PluginDescription(
        id: "org.example.dispatch", name: "Dispatch", version: "1.0.0",
        summary: "Sends from a timer of Dispatch")
    private var link: Link?
    private var timer: (any DispatchSourceTimer)?

    init(settings: NoSettings, host: PluginHost) {}

    mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer {
        link = Link(sender: sender, size: suggested.size)
        return .accept
    }

    mutating func onStartSend() {
        guard let old = link else { return }
        let link = Link(sender: old.sender, size: old.size)
        self.link = link
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "camera"))
        timer.schedule(deadline: .now(), repeating: .milliseconds(33))
        let number = Atomic(0)
        timer.setEventHandler { _ = link.send(number.add(1, ordering: .relaxed).newValue) }
        timer.setCancelHandler { link.end.signal() }
        timer.resume()
        self.timer = timer
    }

    mutating func onStopSend() {
        link?.isStopping.store(true, ordering: .relaxed)
        timer?.cancel()
        link?.end.wait()
    }
}

/// Sends from a task. stop-send waits for the task.
struct TaskCamera: VideoSource {
    static let plugin = PluginDescription(
        id: "org.example.task", name: "Task", version: "1.0.0", summary: "Sends from a task")
    private var link: Link?

    init(settings: NoSettings, host: PluginHost) {}

    mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer {
        link = Link(sender: sender, size: suggested.size)
        return .accept
    }

    mutating func onStartSend() {
        guard let old = link else { return }
        let link = Link(sender: old.sender, size: old.size)
        self.link = link
        Task.detached {
            var number = 0
            while link.send(number) {
                number += 1
                try? await Task.sleep(for: .milliseconds(33))
            }
            link.end.signal()
        }
    }

    mutating func onStopSend() {
        link?.isStopping.store(true, ordering: .relaxed)
        link?.end.wait()
    }
}

/// Tells its thread to end, and does not wait for that.
struct UnjoinedCamera: VideoSource {
    static let plugin = PluginDescription(
        id: "org.example.unjoined", name: "Unjoined", version: "1.0.0",
        summary: "Joins no thread in stop-send")
    private var link: Link?

    init(settings: NoSettings, host: PluginHost) {}

    mutating func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer {
        link = Link(sender: sender, size: suggested.size)
        return .accept
    }

    mutating func onStartSend() {
        guard let old = link else { return }
        let link = Link(sender: old.sender, size: old.size)
        self.link = link
        Thread.detachNewThread {
            var number = 0
            while link.send(number) {
                number += 1
                Thread.sleep(forTimeInterval: 1.0 / 30)
            }
        }
    }

    mutating func onStopSend() { link?.isStopping.store(true, ordering: .relaxed) }
}

/// The host calls this function of the library.
@c(greenroom_plugin_entry)
public func greenroomPluginEntry() -> UnsafeRawPointer? {
    exportPlugins(
        RunLoopCamera.self, DispatchCamera.self, TaskCamera.self, UnjoinedCamera.self)
}
