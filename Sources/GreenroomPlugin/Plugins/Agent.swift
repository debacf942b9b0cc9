public import GreenroomMedia
internal import Synchronization

/// A bot: one object that hears, sees, speaks and shows as one participant.
///
/// An agent is an ``Output``, and as its ``parts`` say also a microphone, a camera and a share. The session file names it in
/// each of these places:
///
/// ```yaml
/// microphone: { plugin: ./libParrot.so }
/// outputs: [{ plugin: ./libParrot.so }]
/// ```
///
/// The agent has the settings and the host of its output, and the other parts have no settings. Without the output they are
/// silent and black. No two calls on an agent overlap, so a plain struct or class needs no lock; but a long `draw` delays the
/// voice. If a session has two outputs and two microphones of the type, the second ones are another agent.
public protocol Agent: Output {
    /// The parts besides the output; the microphone by default.
    static var parts: Set<AgentPart> { get }

    /// The sample rate and channels of the voice; 48000 Hz mono by default.
    static var voice: AudioFormat { get }

    /// Makes the samples of 10 ms of the voice, as ``PumpedAudio/fill(_:at:)`` does. The default is silent.
    mutating func speak(_ samples: inout MutableSpan<Int16>, at time: SampleTime) throws

    /// Fills a frame of the camera in I420, as ``PumpedVideo/fill(_:at:)`` does. The default is black.
    mutating func draw(_ frame: inout MutableFrame, at time: FrameTime) throws

    /// Fills a frame of the share in I420. The default is black.
    mutating func drawShare(_ frame: inout MutableFrame, at time: FrameTime) throws
}

/// A part of an agent besides its output.
public enum AgentPart: String, CaseIterable, Sendable {
    case microphone, camera, share
}

extension Agent {
    /// The microphone.
    public static var parts: Set<AgentPart> { [.microphone] }

    /// 48000 Hz mono.
    public static var voice: AudioFormat { AudioFormat(sampleRate: 48_000, channels: 1) }

    /// Does nothing: the samples are silent.
    public func speak(_ samples: inout MutableSpan<Int16>, at time: SampleTime) {}

    /// Fills the frame with black.
    public func draw(_ frame: inout MutableFrame, at time: FrameTime) { fillWithBlack(&frame) }

    /// Fills the frame with black.
    public func drawShare(_ frame: inout MutableFrame, at time: FrameTime) { fillWithBlack(&frame) }

    /// The exports of the output and the other parts.
    static var exports: [PluginExport] {
        [AgentOutput<Self>.export]
            + AgentPart.allCases.filter(parts.contains).map { part in
                switch part {
                case .microphone: AgentVoice<Self>.export
                case .camera: AgentCamera<Self>.export
                case .share: AgentShare<Self>.export
                }
            }
    }

    /// The description of a part: the agent's, with a separate id.
    fileprivate static func description(of part: AgentPart? = nil) -> PluginDescription {
        var description = plugin
        if let part { description.id += ".\(part.rawValue)" }
        description.needs.insert(.oneProcess)
        return description
    }
}

private func fillWithBlack(_ frame: inout MutableFrame) {
    frame.fill(plane: 0, with: 16)
    for plane in 1...2 { frame.fill(plane: plane, with: 128) }
}

/// The agents of this process, and the parts that exist. Parts of a type with the same number are one agent.
private struct Seats: ~Copyable {
    struct Place: Hashable {
        var type: ObjectIdentifier
        /// nil for the output.
        var part: AgentPart?
        var number: Int
    }

    static let all = Mutex(Seats())

    private var taken: Set<Place> = []
    private var agents: [Place: any Sendable] = [:]

    mutating func take(_ type: Any.Type, _ part: AgentPart?) -> Place {
        var place = Place(type: ObjectIdentifier(type), part: part, number: 0)
        while !taken.insert(place).inserted { place.number += 1 }
        return place
    }

    mutating func put(_ agent: some Sendable, on place: Place) { agents[place] = agent }

    mutating func leave(_ place: Place) {
        taken.remove(place)
        agents[place] = nil
    }

    func agent(of place: Place) -> (any Sendable)? {
        var place = place
        place.part = nil
        return agents[place]
    }
}

/// The place of a part for as long as it exists.
private final class Seat<A: Agent>: Sendable {
    /// The threads of all parts come here, one at a time.
    final class Shared: Sendable {
        let agent: Mutex<A>
        init(_ agent: sending A) { self.agent = Mutex(agent) }
    }

    private let place: Seats.Place

    init(_ part: AgentPart?) { place = Seats.all.withLock { $0.take(A.self, part) } }

    deinit { Seats.all.withLock { $0.leave(place) } }

    func put(_ shared: Shared) { Seats.all.withLock { $0.put(shared, on: place) } }

    var shared: Shared? { Seats.all.withLock { $0.agent(of: place) as? Shared } }
}

/// The output that an agent is.
private struct AgentOutput<A: Agent>: Output {
    static var plugin: PluginDescription { A.description() }

    private let seat = Seat<A>(nil)
    private let shared: Seat<A>.Shared

    init(settings: A.Settings, host: PluginHost) throws {
        shared = Seat<A>.Shared(try A(settings: settings, host: host))
        seat.put(shared)
    }

    func onSettingsChange(_ settings: A.Settings) {
        shared.agent.withLock { $0.onSettingsChange(settings) }
    }
    func onSessionEvent(_ json: String) { shared.agent.withLock { $0.onSessionEvent(json) } }
    func onTrack(_ track: Track) throws -> TrackWant? {
        try shared.agent.withLock { try $0.onTrack(track) }
    }
    func onStart() throws { try shared.agent.withLock { try $0.onStart() } }
    func onVideo(_ frame: borrowing OutputFrame) throws {
        try shared.agent.withLock { try $0.onVideo(frame) }
    }
    func onAudio(_ block: borrowing OutputBlock) throws {
        try shared.agent.withLock { try $0.onAudio(block) }
    }
    func onTrackEnded(_ track: Track) { shared.agent.withLock { $0.onTrackEnded(track) } }
    func onStop() { shared.agent.withLock { $0.onStop() } }
    func onUninitialized() { shared.agent.withLock { $0.onUninitialized() } }
}

/// The microphone of an agent.
private struct AgentVoice<A: Agent>: Microphone {
    static var plugin: PluginDescription { A.description(of: .microphone) }

    private let seat = Seat<A>(.microphone)
    let format = A.voice

    init(settings: NoSettings, host: PluginHost) {}

    func fill(_ samples: inout MutableSpan<Int16>, at time: SampleTime) throws {
        try seat.shared?.agent.withLock { try $0.speak(&samples, at: time) }
    }
}

/// The camera of an agent.
private struct AgentCamera<A: Agent>: Camera {
    static var plugin: PluginDescription { A.description(of: .camera) }

    private let seat = Seat<A>(.camera)

    init(settings: NoSettings, host: PluginHost) {}

    func fill(_ frame: inout MutableFrame, at time: FrameTime) throws {
        guard let shared = seat.shared else { return fillWithBlack(&frame) }
        try shared.agent.withLock { try $0.draw(&frame, at: time) }
    }
}

/// The share of an agent.
private struct AgentShare<A: Agent>: Screen {
    static var plugin: PluginDescription { A.description(of: .share) }

    private let seat = Seat<A>(.share)

    init(settings: NoSettings, host: PluginHost) {}

    func fill(_ frame: inout MutableFrame, at time: FrameTime) throws {
        guard let shared = seat.shared else { return fillWithBlack(&frame) }
        try shared.agent.withLock { try $0.drawShare(&frame, at: time) }
    }
}
