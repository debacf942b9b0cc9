import Dispatch
import GreenroomABI
import GreenroomPlugin
import Synchronization

/// The exported test plugins.
var testEntry: UnsafePointer<gr_entry> {
    let entry = exportPlugins(
        RecordingSource.self, RecordingShare.self, RecordingMic.self, RecordingShareAudio.self,
        RecordingFilter.self, EverySetting.self, TestCamera.self, TestScreen.self,
        TestMicrophone.self, TestScreenAudio.self, HandyCamera.self, PumpingCamera.self,
        RecordingOutput.self, RecordingSpeaker.self, RecordingReceiver.self, RecordingCall.self)
    guard let entry else { preconditionFailure("nothing was exported") }
    return entry.assumingMemoryBound(to: gr_entry.self)
}

func describe(_ name: String) -> PluginDescription {
    PluginDescription(
        id: "org.greenroom.test.\(name)", name: name, version: "1.2.3", summary: "A test",
        vendor: "Greenroom", url: nil)
}

/// The behaviour of callbacks besides logging.
struct Behaviour: PluginSettings {
    enum Answer: String, CaseIterable {
        case accept, counter, fixed, fail, failOddly = "fail-oddly"
    }
    var answer = Answer.accept
    var failsToStart = false
    /// The fake host, for plugins that move its clock.
    var host = 0

    static let table: [Setting<Self>] = [
        .choice("answer", \.answer), .boolean("fails-to-start", \.failsToStart),
        .integer("host", \.host),
    ]

    func make() throws -> VideoAnswer {
        switch answer {
        case .accept: return .accept
        case .counter: return .counter(VideoCapability(width: 32, height: 18, fps: 15))
        case .fixed: return .fixed(VideoCapability(width: 33, height: 19, fps: 24))
        case .fail: throw PluginError("no camera: plug one in", status: .unavailable)
        case .failOddly: throw Odd.unforeseen
        }
    }

    func start() throws {
        if failsToStart { throw PluginError("the lens cap is on") }
    }
}

enum Odd: Error { case unforeseen }

/// The senders of recording sources and the hosts of calls, by the fake host's id.
enum Kept {
    static let video = Mutex<[Int: VideoSender]>([:])
    static let audio = Mutex<[Int: AudioSender]>([:])
    static let calls = Mutex<[Int: PluginHost]>([:])
}

final class RecordingSource: VideoSource {
    static let plugin = describe("source")
    let settings: Behaviour
    let host: PluginHost

    init(settings: Behaviour, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        Kept.video.withLock { $0[settings.host] = sender }
        host.log(.debug, "onInitialize \(supported) \(suggested)")
        return try settings.make()
    }

    func onStartSend() throws {
        host.log(.info, "onStartSend")
        try settings.start()
    }

    func onStopSend() { host.log(.warning, "onStopSend") }
    func onUninitialized() { host.log(.error, "onUninitialized") }
    deinit { host.log(.debug, "deinit") }
}

struct RecordingShare: ShareSource {
    static let plugin = describe("share")
    let settings: Behaviour
    let host: PluginHost

    init(settings: Behaviour, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onShareInitialize(limit: VideoCapability) throws -> VideoAnswer {
        host.log(.debug, "onShareInitialize \(limit)")
        return try settings.make()
    }
    func onSharePropertyChange(limit: VideoCapability) throws -> VideoAnswer? {
        host.log(.debug, "onSharePropertyChange \(limit)")
        try settings.start()
        return nil
    }
    func onShareSendStarted(_ sender: ShareSender) throws {
        Kept.video.withLock { $0[settings.host] = sender }
        host.log(.debug, "onShareSendStarted")
    }
    func onShareSendStopped() { host.log(.debug, "onShareSendStopped") }
    func onShareUninitialized() { host.log(.debug, "onShareUninitialized") }
}

struct RecordingMic: VirtualAudioMic {
    static let plugin = describe("mic")
    let settings: Behaviour
    let host: PluginHost

    init(settings: Behaviour, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onMicInitialize(_ sender: AudioSender) throws {
        Kept.audio.withLock { $0[settings.host] = sender }
        host.log(.debug, "onMicInitialize")
    }
    func onMicStartSend() throws { host.log(.debug, "onMicStartSend") }
    func onMicStopSend() { host.log(.debug, "onMicStopSend") }
    func onMicUninitialized() { host.log(.debug, "onMicUninitialized") }
}

struct RecordingShareAudio: ShareAudioSource {
    static let plugin = describe("share-audio")
    let host: PluginHost

    init(settings: NoSettings, host: PluginHost) { self.host = host }

    func onShareAudioInitialize() throws { host.log(.debug, "onShareAudioInitialize") }
    func onStartSendAudio(_ sender: AudioSender) throws { host.log(.debug, "onStartSendAudio") }
    func onStopSendAudio() { host.log(.debug, "onStopSendAudio") }
    func onShareAudioUninitialized() { host.log(.debug, "onShareAudioUninitialized") }
}

/// Adds a level to luma; fails on frames whose first byte is 255.
struct RecordingFilter: VideoSourcePreProcessor {
    struct Settings: PluginSettings {
        var level = 1
        static let table: [Setting<Self>] = [.integer("level", \.level, in: 0...9, live: true)]
    }
    static let plugin = describe("filter")
    var settings: Settings
    let host: PluginHost

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    mutating func onSettingsChange(_ settings: Settings) { self.settings = settings }
    func onPreProcessInitialize(_ capability: VideoCapability) throws {
        host.log(.debug, "onPreProcessInitialize \(capability)")
    }
    func onPreProcessStart() throws { host.log(.debug, "onPreProcessStart") }
    func onPreProcessRawData(_ frame: inout MutableFrame) throws {
        for y in 0..<frame.height {
            try frame.readOnlyRow(y).forEach {
                guard $0 < 255 else { throw PluginError("too bright", status: .unsupported) }
            }
            var row = frame.row(y)
            for x in row.indices { row[x] &+= UInt8(settings.level) }
        }
    }
    func onPreProcessStop() { host.log(.debug, "onPreProcessStop") }
    func onPreProcessUninitialized() { host.log(.debug, "onPreProcessUninitialized") }
}

struct EverySetting: VirtualAudioMic {
    enum Shade: String, CaseIterable { case dark, light = "very-light" }
    struct Settings: PluginSettings {
        var isOn = true
        var count = 3
        var speed = 0.5
        var title = "Grün"
        var shade = Shade.light
        var file = ""

        static let table: [Setting<Self>] = [
            .boolean("on", \.isOn, live: true),
            .integer("count", \.count, in: -5...5, unit: "px", live: true),
            .number("line-speed", \.speed, in: 0...10, title: "Speed", unit: "Hz", live: true),
            .string("title", \.title),
            .choice("shade", \.shade, live: true),
            .path("file", \.file, required: true),
        ]
    }
    static let plugin = describe("settings")
    let host: PluginHost

    init(settings: Settings, host: PluginHost) {
        self.host = host
        say(settings)
    }

    func onSettingsChange(_ settings: Settings) { say(settings) }

    private func say(_ s: Settings) {
        host.log(.info, "\(s.isOn) \(s.count) \(s.speed) \(s.title) \(s.shade) \(s.file)")
    }

    func onMicInitialize(_ sender: AudioSender) throws {}
    func onMicStartSend() throws {}
    func onMicStopSend() {}
}

/// The behaviour of a test plugin with a pump.
struct PumpBehaviour: PluginSettings {
    /// The fake host, whose clock a slow frame advances.
    var host = 0
    /// The slow frame, and its delay.
    var slowIndex = -1
    var slowBy = 0
    var throwsAt = -1
    var sampleRate = 48_000
    var channels = 1
    var isFixed = false
    var level = 1

    static let table: [Setting<Self>] = [
        .integer("host", \.host), .integer("slow-index", \.slowIndex),
        .integer("slow-by", \.slowBy, unit: "ns"), .integer("throws-at", \.throwsAt),
        .integer("sample-rate", \.sampleRate), .integer("channels", \.channels),
        .boolean("fixed", \.isFixed), .integer("level", \.level, live: true),
    ]

    func act(at index: Int64) throws {
        if index == Int64(throwsAt) { throw PluginError("torn film", status: .badData) }
        guard index == Int64(slowIndex) else { return }
        FakeHost[UInt64(host)]?.advance(by: Int64(slowBy))
    }

    func make() -> VideoAnswer {
        isFixed ? .fixed(VideoCapability(width: 33, height: 19, fps: 24)) : .accept
    }
}

/// Writes the frame's index into the luma's first byte.
struct TestCamera: Camera {
    static let plugin = describe("camera")
    var settings: PumpBehaviour
    let host: PluginHost

    init(settings: PumpBehaviour, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    mutating func onSettingsChange(_ settings: PumpBehaviour) { self.settings = settings }
    func onSessionEvent(_ json: String) { host.log(.debug, "onSessionEvent \(json)") }

    func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer { settings.make() }

    func onStartSend() throws { host.log(.debug, "onStartSend") }

    func fill(_ frame: inout MutableFrame, at time: FrameTime) throws {
        try settings.act(at: time.index)
        frame.fill(plane: 0, with: UInt8(settings.level))
        var row = frame.row(0)
        row[0] = UInt8(truncatingIfNeeded: time.index)
    }

    func onStopSend() { host.log(.debug, "onStopSend") }
}

struct TestScreen: Screen {
    static let plugin = describe("screen")
    static let capabilities = [
        VideoCapability(size: FrameSize(width: 16, height: 8), rate: FrameRate(30)),
        VideoCapability(width: 640, height: 360, fps: 15),
    ]
    let host: PluginHost
    init(settings: NoSettings, host: PluginHost) { self.host = host }
    func onSessionEvent(_ json: String) { host.log(.debug, "onSessionEvent \(json)") }
    var format: PixelFormat { .bgra }
    var color: ColorSpace { .bt709Full }

    func fill(_ frame: inout MutableFrame, at time: FrameTime) {
        frame.fill(plane: 0, with: UInt8(truncatingIfNeeded: time.index))
    }
}

/// Counts its samples, or leaves them silent at level 0.
struct TestMicrophone: Microphone {
    static let plugin = describe("microphone")
    let settings: PumpBehaviour
    var format: AudioFormat {
        AudioFormat(sampleRate: settings.sampleRate, channels: settings.channels)
    }

    let host: PluginHost

    init(settings: PumpBehaviour, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onSessionEvent(_ json: String) { host.log(.debug, "onSessionEvent \(json)") }

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) throws {
        try settings.act(at: time.index)
        guard settings.level > 0 else { return }
        for index in samples.indices {
            samples[index] = Int16(truncatingIfNeeded: Int(time.index) + index / format.channels)
        }
    }
}

struct TestScreenAudio: ScreenAudio {
    static let plugin = describe("screen-audio")
    let host: PluginHost
    init(settings: NoSettings, host: PluginHost) { self.host = host }
    func onSessionEvent(_ json: String) { host.log(.debug, "onSessionEvent \(json)") }
    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) {}
}

/// Sends without a pump: for each new offer it sends a frame begun before, a frame without a
/// revision, and one with the newest revision.
final class HandyCamera: VideoSource {
    static let plugin = describe("handy")
    static let capabilities = [VideoCapability(width: 8, height: 6, fps: 10)]
    private var sender: VideoSender?
    private var size = FrameSize(width: 0, height: 0)

    init(settings: NoSettings, host: PluginHost) {}

    func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        self.sender = sender
        size = suggested.size
        return .accept
    }

    func onStartSend() throws {}

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer? {
        guard let sender else { return nil }
        do {
            let begun = try sender.acquire(format: .i420, size: size)
            try sender.acquire(format: .i420, size: size).commit()
            size = suggested.size
            try sender.acquire(format: .i420, size: size).commit(
                FrameInfo(offerRevision: sender.offerRevision))
            try begun.commit()
        } catch {
            return .fixed(VideoCapability(width: 1, height: 1, fps: 1))
        }
        return .accept
    }

    func onStopSend() {}
}

/// Draws with its own pump. Frame 3 is slow: until the test has changed the offer. For one test at
/// a time.
final class PumpingCamera: VideoSource {
    static let plugin = describe("pumping")
    static let isDrawing = DispatchSemaphore(value: 0)
    static let isChanged = DispatchSemaphore(value: 0)
    private var sender: VideoSender?
    private var agreed: VideoCapability?
    private var pump: FramePump?

    init(settings: NoSettings, host: PluginHost) {}

    func onInitialize(
        _ sender: VideoSender, supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        self.sender = sender
        agreed = suggested
        return .accept
    }

    func onStartSend() throws {
        guard let sender, let agreed else { return }
        pump = try FramePump(sender: sender, capability: agreed) { _, time in
            guard time.index == 3 else { return }
            PumpingCamera.isDrawing.signal()
            PumpingCamera.isChanged.wait()
        }
    }

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer? {
        pump?.follow(suggested)
        return .accept
    }

    func onStopSend() { pump = nil }
}
