import Glibc
import GreenroomPlugin
import Synchronization

/// The participants of a script, and the thread that sends for them.
///
/// The thread runs actions in order of their due times, so sessions on the virtual clock are
/// reproducible.
final class FarEnd: Sendable {
    /// Something that is due.
    private enum Step {
        case join
        case mute(Bool)
        case frame(Video, Int64)
        case block(Audio, Int64)
        case leave
        /// A limit of the participant's bit rate begins or ends.
        case limit
    }

    private enum Video { case camera, share }
    private enum Audio { case microphone, shareAudio }

    /// A participant, as far as the thread knows them.
    private struct Person {
        var script: CallScript.Participant
        var number: Int
        var participant: CallParticipant?
        var camera: CallVideoTrack?
        var share: CallVideoTrack?
        var microphone: CallAudioTrack?
        var shareAudio: CallAudioTrack?
    }

    private static let rate = 48_000
    private static let blockFrames = 480

    /// The bandwidth of the participants' connections, and its division.
    private struct Connection {
        /// The lowest limit among the present participants; nil if nobody has a limit.
        var limit: (name: String, kilobits: Int)?
        /// The numbers of the tracks that show nothing: black, or a slate.
        var dark: Set<UInt32> = []
    }

    private let host: PluginHost
    private let script: CallScript
    private let voices: [String: Voice]
    /// The video that is sent to the participants.
    private let sent: [Track]
    private let connection = Mutex(Connection())
    /// The unwanted tracks.
    private let unwanted = Mutex<Set<UInt64>>([])

    /// - Parameter sent: The video that is sent to the participants.
    init(
        _ script: CallScript, voices: [String: Voice], sending sent: [Track], host: PluginHost
    ) {
        self.script = script
        self.voices = voices
        self.sent = sent
        self.host = host
    }

    /// Follows the session's demand for a track. [any]
    func follow(_ demand: TrackDemand) {
        unwanted.withLock { unwanted in
            if demand.isWanted {
                unwanted.remove(demand.track)
            } else {
                unwanted.insert(demand.track)
            }
        }
    }

    /// The thread: returns when the host stops the call.
    func run() {
        let start = host.nowNanoseconds
        var people = script.participants.enumerated().map { number, participant in
            Person(script: participant, number: number)
        }
        var due = people.indices.map { index in
            (time: people[index].script.presence.start, person: index, step: Step.join)
        }
        for index in people.indices {
            for (stretch, _) in people[index].script.limits {
                // A participant has no limit before joining.
                due.append((max(stretch.start, people[index].script.presence.start), index, .limit))
                if let end = stretch.end { due.append((end, index, .limit)) }
            }
        }
        while let next = due.indices.min(by: { due[$0].time < due[$1].time }) {
            let (time, index, step) = due.remove(at: next)
            guard host.wait(untilNanoseconds: start + time) == .ok else { return }
            if case .limit = step { setLimit(of: people, at: time) }
            do throws(SendRefusal) {
                due += try perform(step, at: time, start, &people[index]).map {
                    (time: $0.time, person: index, step: $0.step)
                }
            } catch {
                guard !error.isEnd else { continue }
                host.log(.warning, "\(people[index].script.name): \(error.text)")
            }
            if case .leave = step { setLimit(of: people, at: time) }
        }
        // A participant without an end stays to the end.
        _ = host.wait(untilNanoseconds: .max)
    }

    // MARK: The connection

    /// Sets the lowest bit rate among the connections of the present participants as the limit.
    private func setLimit(of people: [Person], at time: Int64) {
        let limits = people.filter { person in
            person.script.presence.contains(time)
        }.flatMap { person in
            person.script.limits.filter { $0.stretch.contains(time) }
                .map { (name: person.script.name, kilobits: $0.kilobits) }
        }
        let limit = limits.min { $0.kilobits < $1.kilobits }
        connection.withLock { connection in
            guard limit?.kilobits != connection.limit?.kilobits else { return }
            connection.limit = limit
            setCeilings(of: connection)
        }
    }

    /// Records whether a track shows only black or a slate. [media]
    func show(_ isDark: Bool, on track: UInt32) {
        connection.withLock { connection in
            if isDark { connection.dark.insert(track) } else { connection.dark.remove(track) }
            if connection.limit != nil { setCeilings(of: connection) }
        }
    }

    /// Divides the limit among the tracks that show a picture. A dark track gets the share that it would have
    /// if it showed one.
    ///
    /// Called with the lock, so that the host gets the ceilings in order; it does not call back.
    private func setCeilings(of connection: borrowing Connection) {
        let limit = connection.limit
        let shown = sent.count { !connection.dark.contains($0.id) }
        for track in sent {
            let parts = connection.dark.contains(track.id) ? shown + 1 : shown
            let ceiling = limit.map { Self.capability(within: $0.kilobits / parts) }
            let reason =
                limit.map { "\($0.name)'s connection carries \($0.kilobits) kbit/s" }
                ?? "all carry more"
            host.setCeiling(of: track, to: ceiling, because: reason)
        }
    }

    private static let least = VideoCapability(width: 320, height: 180, fps: 15)

    /// The sizes and rates of video above ``least``, best first.
    private static let ladder = [
        VideoCapability(width: 3840, height: 2160, fps: 60),
        VideoCapability(width: 3840, height: 2160, fps: 30),
        VideoCapability(width: 1920, height: 1080, fps: 60),
        VideoCapability(width: 1920, height: 1080, fps: 30),
        VideoCapability(width: 1280, height: 720, fps: 30),
        VideoCapability(width: 960, height: 540, fps: 30),
        VideoCapability(width: 640, height: 360, fps: 30),
        VideoCapability(width: 480, height: 270, fps: 15),
    ]

    /// The best size and rate for a bit rate, at 0.08 bits per pixel.
    private static func capability(within kilobits: Int) -> VideoCapability {
        let fitting = ladder.first { row in
            Double(row.size.area) * row.rate.framesPerSecond * 0.08 <= Double(kilobits) * 1000
        }
        return fitting ?? least
    }

    // MARK: Steps

    /// Does what is due.
    ///
    /// - Returns: The next actions.
    private func perform(
        _ step: Step, at time: Int64, _ start: Int64, _ person: inout Person
    ) throws(SendRefusal) -> [(time: Int64, step: Step)] {
        switch step {
        case .join: return try join(&person, at: time)
        case .limit: return []
        case .leave:
            person.participant?.leave()
            person.participant = nil
            return []
        case .mute(let isMuted):
            person.microphone?.setMuted(isMuted)
            return []
        case .frame(let kind, let number):
            guard person.participant != nil else { return [] }
            let (track, capability) =
                kind == .camera
                ? (person.camera, person.script.camera) : (person.share, person.script.share)
            guard let track, let capability else { return [] }
            let next =
                person.script.presence.start
                + capability.rate.dueNanoseconds(ofFrame: number + 1)
            if isWanted(track.id) {
                try goOn(person.script.name) { () throws(SendRefusal) in
                    try send(
                        number, of: capability.size, person.number, to: track, at: start + time)
                }
            }
            return [(next, .frame(kind, number + 1))]
        case .block(let kind, let number):
            guard person.participant != nil else { return [] }
            let (track, frequency) =
                kind == .microphone
                ? (person.microphone, person.script.microphone)
                : (person.shareAudio, person.script.shareAudio)
            guard let track else { return [] }
            if isWanted(track.id), !isMuted(kind, person, at: time) {
                var samples = [Int16](repeating: 0, count: Self.blockFrames)
                if let frequency { Self.add(frequency, to: &samples, number) }
                if kind == .microphone { add(person.script.sayings, to: &samples, at: time) }
                let block = samples
                try goOn(person.script.name) { () throws(SendRefusal) in
                    try track.sender.send(
                        block.span, format: AudioFormat(sampleRate: Self.rate, channels: 1),
                        ptsNanoseconds: start + time, timeout: .none)
                }
            }
            let next = person.script.presence.start + (number + 1) * 10_000_000
            return [(next, .block(kind, number + 1))]
        }
    }

    /// Sends media. If the host has no room, the frame or block is dropped, and the next one follows on time.
    private func goOn(
        _ name: String, _ send: () throws(SendRefusal) -> Void
    ) throws(SendRefusal) {
        do throws(SendRefusal) {
            try send()
        } catch {
            guard error.isPassing else { throw error }
            host.log(.debug, "\(name): left out: \(error.text)")
        }
    }

    private func isMuted(_ kind: Audio, _ person: Person, at time: Int64) -> Bool {
        kind == .microphone
            && person.script.mutes.contains { $0.contains(time) }
    }

    private func isWanted(_ track: UInt64) -> Bool {
        unwanted.withLock { !$0.contains(track) }
    }

    private func join(
        _ person: inout Person, at time: Int64
    ) throws(SendRefusal) -> [(time: Int64, step: Step)] {
        let participant = try host.join(person.script.name)
        person.participant = participant
        var next: [(time: Int64, step: Step)] = []
        // Add the end first, so that it precedes other actions of the same time.
        if let end = person.script.presence.end { next.append((end, .leave)) }
        if let capability = person.script.camera {
            person.camera = try participant.openCamera(upTo: capability)
            next.append((time, .frame(.camera, 0)))
        }
        if let capability = person.script.share {
            person.share = try participant.openShare(upTo: capability)
            next.append((time, .frame(.share, 0)))
        }
        if person.script.microphone != nil || !person.script.sayings.isEmpty {
            person.microphone = try participant.openMicrophone()
            next.append((time, .block(.microphone, 0)))
        }
        if person.script.shareAudio != nil {
            person.shareAudio = try participant.openShareAudio()
            next.append((time, .block(.shareAudio, 0)))
        }
        for mute in person.script.mutes {
            next.append((mute.start, .mute(true)))
            if let end = mute.end { next.append((end, .mute(false))) }
        }
        return next
    }

    // MARK: Media

    /// Sends a frame: a moving bar on the participant's colour.
    private func send(
        _ number: Int64, of size: FrameSize, _ person: Int, to track: CallVideoTrack, at pts: Int64
    ) throws(SendRefusal) {
        var lease = try track.sender.acquire(format: .i420, size: size)
        lease.fill(plane: 0, with: 110)
        lease.fill(plane: 1, with: UInt8(truncatingIfNeeded: 64 + person * 53 % 128))
        lease.fill(plane: 2, with: UInt8(truncatingIfNeeded: 192 - person * 37 % 128))
        let width = max(size.width / 16, 1)
        let left = Int(number) * width % size.width
        for y in 0..<size.height {
            var row = lease.row(y)
            for x in left..<min(left + width, size.width) { row[x] = 220 }
        }
        try lease.commit(FrameInfo(ptsNanoseconds: pts))
    }

    /// Adds 10 ms of a tone at -20 dBFS.
    private static func add(_ frequency: Double, to samples: inout [Int16], _ number: Int64) {
        for index in samples.indices {
            let place = Double(number * Int64(blockFrames) + Int64(index))
            let phase = (place * frequency / Double(rate)).truncatingRemainder(dividingBy: 1)
            samples[index] = Int16(3276.7 * sin(2 * .pi * phase))
        }
    }

    /// Adds 10 ms of the voices that play at a time.
    private func add(
        _ sayings: [(voice: String, time: Int64)], to samples: inout [Int16], at time: Int64
    ) {
        for saying in sayings where saying.time <= time {
            guard let voice = voices[saying.voice] else { continue }
            let first = Int((time - saying.time) / 1_000_000 * Int64(Self.rate / 1000))
            guard first < voice.samples.count else { continue }
            for (index, sample) in voice.samples[first...].prefix(samples.count).enumerated() {
                samples[index] = Int16(clamping: Int(samples[index]) + Int(sample))
            }
        }
    }
}
