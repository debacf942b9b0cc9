import GreenroomConversion
import GreenroomMedia

/// What happened in a session: `session.json`.
///
/// Counters add up: for each picture, `sent` = `accepted` + all of `refused`; `accepted` =
/// `superseded` + `discarded` + `lostInFilter` + `unconvertible` of the track + what reached each
/// output; and for each output that is `delivered` + `excess` + `queueFull` + `early` + `late` +
/// `unconvertible` + `failed`.
public struct SessionReport: Codable, Sendable {
    /// A plugin.
    public struct Plugin: Codable, Sendable {
        /// Its place in the session.
        public var role: String
        /// Its name for ever.
        public var id: String
        /// Its name in session files.
        public var name: String
        /// Its version.
        public var version: String
        /// What it is.
        public var kind: String
        /// Where its lifecycle ended.
        public var state: LifecycleState
        /// Why the host gave it up.
        public var fault: String?
        /// What it said when it gave up.
        public var gaveUp: String?
        /// What it was offered.
        public var offer: Offered?
        /// How long its callbacks took, by name.
        public var callbacks: [String: Callback]
    }

    /// An offer and what came of it.
    public struct Offered: Codable, Sendable {
        /// The offer's revision.
        public var revision: UInt32
        /// Its rows, or the one row that a share may go up to.
        public var rows: [String]
        /// What was suggested.
        public var suggested: String
        /// `accept`, `counter` or `fixed`.
        public var answer: String?
        /// What the source said that it sends.
        public var source: String?
        /// What the track carries.
        public var track: String?
    }

    /// Calls of a callback.
    public struct Callback: Codable, Sendable {
        /// Calls that returned.
        public var calls: Int
        /// Their mean, in milliseconds.
        public var meanMilliseconds: Double
        /// The longest, in milliseconds.
        public var longestMilliseconds: Double
    }

    /// A picture.
    public struct Picture: Codable, Sendable {
        /// `camera` or `share`.
        public var track: String
        /// Its size and rate.
        public var capability: String
        /// Frames that the plugin sent.
        public var sent: Int
        /// Frames that came through the gate.
        public var accepted: Int
        /// Of those, the ones that were leased, and needed no copy.
        public var leased: Int
        /// Frames refused, by status.
        public var refused: [String: Int]
        /// Calls refused that carried no frame, by status.
        public var refusedCalls: [String: Int]
        /// Leases that were given back unsent.
        public var abandoned: Int
        /// Bytes copied from the plugin's memory.
        public var bytesCopied: Int
        /// Accepted frames for an offer whose grace time was over.
        public var staleRevision: Int
        /// Frames dropped for newer ones.
        public var superseded: Int
        /// Frames that came when the track had ended.
        public var discarded: Int
        /// Frames whose stamp was not on the session clock.
        public var restamped: Int
        /// Frames without a stamp.
        public var unstamped: Int
        /// Frames that could not be converted for filters.
        public var unconvertible: Int
        /// Frames lost in a filter that hung.
        public var lostInFilter: Int
        /// Frames that a filter refused, and that went on unedited.
        public var unprocessed: Int
        /// Conversions made.
        public var conversions: Int
        /// Bytes that conversions wrote.
        public var bytesConverted: Int
        /// Times that memory was allocated for frames.
        public var allocations: Int
        /// Its outputs.
        public var outputs: [PictureOutput]
    }

    /// An output of a picture.
    public struct PictureOutput: Codable, Sendable {
        /// What it is.
        public var output: String
        /// Its rate.
        public var rate: String
        /// Frames written for the first time.
        public var delivered: Int
        /// Periods that were filled by writing a frame again.
        public var repeated: Int
        /// Frames for a period that had one already.
        public var excess: Int
        /// Frames for which its queue had no room.
        public var queueFull: Int
        /// Frames stamped before the beginning.
        public var early: Int
        /// Frames stamped after the end.
        public var late: Int
        /// Frames that could not be converted.
        public var unconvertible: Int
        /// Frames that came after it had failed.
        public var failed: Int
        /// Why it failed.
        public var failure: String?
    }

    /// A sound.
    public struct Sound: Codable, Sendable {
        /// Its source.
        public var role: String
        /// Blocks sent.
        public var sent: Int
        /// Blocks queued.
        public var accepted: Int
        /// Blocks refused, by status.
        public var refused: [String: Int]
        /// Blocks that were resampled.
        public var resampled: Int
        /// Bytes copied from the plugin's memory.
        public var bytesCopied: Int
        /// Blocks whose stamp was not on the session clock.
        public var restamped: Int
        /// Frames of 48 kHz that the source had sent in time.
        public var played: Int
        /// Frames of 48 kHz that were sent before the recording began.
        public var early: Int
        /// Frames of 48 kHz that were sent and not played yet; at the end, never.
        public var queued: Int
        /// Frames of silence because the source was late.
        public var concealed: Int
        /// Frames of silence while there was nothing to expect.
        public var idle: Int
    }

    /// A recording of sound.
    public struct SoundFile: Codable, Sendable {
        /// The file.
        public var output: String
        /// Frames in it.
        public var written: Int
        /// Frames that were lost: the disk was too slow, or the file had failed.
        public var lost: Int
        /// Why it is incomplete.
        public var failure: String?
    }

    /// A loudspeaker. What the session gave it is `played` and `dropped`, and what it had not
    /// played yet.
    public struct Loudspeaker: Codable, Sendable {
        /// The device.
        public var output: String
        /// What the device runs at, in hertz.
        public var sampleRate: Int
        /// Frames of 48 kHz that the device took.
        public var played: Int
        /// Times that the device had nothing to play.
        public var underruns: Int
        /// Frames of 48 kHz that were lost: the device was away, or too slow.
        public var dropped: Int
        /// How much faster the device's clock is than the session's, in millionths; absent for
        /// a device without a clock, and in the first second.
        public var driftPPM: Double?
        /// Times that the device was opened again after it had gone away.
        public var reopened: Int
        /// Why there was no sound at the end.
        public var failure: String?
    }

    /// The version of the host.
    public var greenroom: String
    /// The session's name.
    public var session: String
    /// `finished`, `interrupted` or `plugin-failed`; `running` while it runs, and for good if
    /// the host was killed.
    public var outcome: String
    /// The plugin whose failure ended the session.
    public var failedPlugin: String?
    /// The plugins.
    public var plugins: [Plugin]
    /// The pictures.
    public var pictures: [Picture]
    /// The sounds.
    public var sounds: [Sound]
    /// Recordings of sound.
    public var soundFiles: [SoundFile]
    /// Loudspeakers.
    public var loudspeakers: [Loudspeaker]

    init(
        plan: SessionPlan, instances: [PluginInstance], parts: SessionParts?,
        outcome: SessionOutcome?
    ) {
        greenroom = GreenroomVersion.current
        session = plan.name
        switch outcome {
        case nil: self.outcome = "running"
        case .finished: self.outcome = "finished"
        case .interrupted: self.outcome = "interrupted"
        case .pluginFailed(let role):
            self.outcome = "plugin-failed"
            failedPlugin = role
        }
        plugins = instances.map(Plugin.init)
        pictures = parts?.pictures.map(Picture.init) ?? []
        sounds = parts?.sounds.map { Sound(role: $0.role, gate: $0.gate) } ?? []
        soundFiles =
            parts?.recordings.map { recording in
                let counts = recording.counts
                return SoundFile(
                    output: recording.name, written: counts.written, lost: counts.lost,
                    failure: recording.failure)
            } ?? []
        loudspeakers =
            parts?.loudspeakers.map { loudspeaker in
                let counts = loudspeaker.statistics
                return Loudspeaker(
                    output: loudspeaker.name, sampleRate: counts.sampleRate,
                    played: counts.played, underruns: counts.underruns, dropped: counts.dropped,
                    driftPPM: counts.driftPPM, reopened: counts.reopened, failure: counts.failure)
            } ?? []
    }
}

extension SessionReport.Plugin {
    init(_ instance: PluginInstance) {
        role = instance.role
        id = instance.descriptor.id
        name = instance.descriptor.name
        version = instance.descriptor.version
        kind = instance.descriptor.kind.name
        state = instance.lifecycle
        fault = instance.fault
        gaveUp = instance.gaveUp.map { "\($0.status): \($0.reason)" }
        offer = instance.newestOffer.map { offer in
            let agreement = instance.agreement
            return SessionReport.Offered(
                revision: offer.revision, rows: offer.rows.map(\.description),
                suggested: offer.suggested.description, answer: agreement?.answer.name,
                source: agreement?.source.description, track: agreement?.track.description)
        }
        callbacks = instance.callbackTimes.mapValues { times in
            SessionReport.Callback(
                calls: times.calls,
                meanMilliseconds: Double(times.totalNanoseconds) / Double(max(times.calls, 1))
                    / 1e6,
                longestMilliseconds: Double(times.longestNanoseconds) / 1e6)
        }
    }
}

extension Answer {
    /// `accept`, `counter` or `fixed`.
    public var name: String {
        switch self {
        case .accept: "accept"
        case .counter: "counter"
        case .fixed: "fixed"
        }
    }
}

extension SessionReport.Picture {
    init(_ picture: SessionParts.Picture) {
        let gate = picture.instance.videoGate?.counts ?? VideoGate.Counts()
        let counts = picture.track.counts
        track = picture.track.kind.rawValue
        capability = picture.track.agreed.description
        sent = gate.sent
        accepted = gate.accepted
        leased = gate.leased
        refused = gate.refused.refusals
        refusedCalls = gate.refusedCalls.refusals
        abandoned = gate.abandoned
        bytesCopied = gate.bytesCopied
        staleRevision = gate.staleRevision
        superseded = picture.track.input.superseded
        discarded = picture.track.input.discarded
        restamped = counts.restamped
        unstamped = counts.unstamped
        unconvertible = counts.unconvertible
        lostInFilter = counts.lostInFilter
        unprocessed = counts.unprocessed
        conversions = counts.conversions
        bytesConverted = counts.bytesConverted
        allocations = picture.track.allocationCount
        outputs = picture.track.lanes.map { lane in
            let counts = lane.counts
            return SessionReport.PictureOutput(
                output: lane.name, rate: lane.rate.description, delivered: counts.delivered,
                repeated: counts.repeated, excess: counts.excess, queueFull: counts.queueFull,
                early: counts.early, late: counts.late, unconvertible: counts.unconvertible,
                failed: counts.failed, failure: lane.failure)
        }
    }
}

extension SessionReport.Sound {
    init(role: String, gate: AudioGate) {
        let (counts, queue, queued) = gate.counts
        self.role = role
        sent = counts.sent
        accepted = counts.accepted
        refused = counts.refused.refusals
        resampled = counts.resampled
        bytesCopied = counts.bytesCopied
        restamped = counts.restamped
        played = queue.played
        early = queue.early
        self.queued = queued
        concealed = queue.concealed
        idle = queue.idle
    }
}
