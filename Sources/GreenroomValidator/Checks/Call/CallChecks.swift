import GreenroomModel
import GreenroomABI
import GreenroomHarness
import GreenroomIsolation
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomLifecycle

extension Catalogue {
    static let callChecks: [Check] = [
        callHears, callParticipants, callSends, callDemand, callStaleDemand,
    ]

    static let callHears = Check(
        "call.hears", "participants get what they are to hear", of: .calls,
        rule: "A call sends each participant the mix-minus: all audio except that participant's.",
        why: """
            Otherwise, participants hear themselves, or not each other. A call may be for \
            video only, so this check only warns.
            """,
        measured: """
            All tracks of a session, and the mix-minus of a participant, are described to \
            the call.
            """,
        fix: "Request the track mix-minus for each participant."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        try fixture.initialize()
        let wanted = fixture.pluginHarness.wants.filter { $0.want != .nothing }.map(\.track)
        try fixture.uninitialize()
        try fixture.destroy()
        guard !wanted.isEmpty else {
            return .skipped("no requested formats without participants; use settings that add one")
        }
        let kinds = Set(wanted.map(\.kind))
        guard !kinds.contains(UInt32(GR_TRACK_MIX_MINUS)) else { return .passed() }
        if kinds.contains(UInt32(GR_TRACK_INCOMING)) || kinds.contains(UInt32(GR_TRACK_FULL_MIX)) {
            return .warning(
                "takes the incoming audio and no mix-minus: participants hear themselves. Send each "
                    + "the track GR_TRACK_MIX_MINUS that has their number")
        }
        return .warning(
            "takes the mix-minus of no participant: they don't hear each other. Request the "
                + "tracks of the kind GR_TRACK_MIX_MINUS")
    }

    static let callParticipants = Check(
        "call.participants", "participants and tracks are known ones", of: .calls,
        rule: """
            join, leave, open_track, close_track and set_muted are called only for \
            participants and tracks that exist.
            """,
        why: "The host refuses anything else, for example a closed track or a name without text.",
        measured: "Three seconds of session time; every call must be answered with GR_STATUS_OK.",
        fix: "Keep the handles that joined and open_track return until the participant leaves."
    ) { examination throws(Verdict) in
        let calls = try examination.run(forSeconds: 3)
        let refused = calls.filter { $0.isOfParticipants && $0.status != .ok }
        guard let first = refused.first, let status = first.status else {
            let joined = calls.count { $0.request == .joined }
            return joined > 0
                ? .passed("\(joined) joined")
                : .skipped(
                    "no participant joined within 3 s: use settings that add a participant")
        }
        return .failed(
            "\(first.name) is answered \(status), and \(refused.count) such calls in all: use the "
                + "participants and senders that the host has given, until they have left or are "
                + "closed, and open one track of a kind for each"
                + (first.refusal.map { ". \($0)" } ?? ""))
    }

    static let callSends = Check(
        "call.sends", "frames and blocks of participants are accepted", of: .calls,
        rule: "The host accepts every frame and block of a participant.",
        why: "A refused frame has another format than its track, or the track is closed.",
        measured: """
            Three seconds of session time. GR_STATUS_QUEUE_FULL and GR_STATUS_NO_BUFFER \
            are allowed, and GR_STATUS_GONE twice per closed track.
            """,
        fix: "Send in the format of the track, and stop when the track closes."
    ) { examination throws(Verdict) in
        let calls = try examination.run(forSeconds: 3)
        let sends = calls.filter(\.isSend)
        guard !sends.isEmpty else {
            return .skipped("nothing was sent within 3 s: use settings that send media")
        }
        // A participant who leaves may have four tracks.
        let closings = calls.reduce(0) { count, call in
            guard call.status == .ok else { return count }
            return count + (call.request == .closeTrack ? 1 : call.request == .left ? 4 : 0)
        }
        let gone = sends.count { $0.status == .gone }
        guard gone <= 2 * closings else {
            return .failed(
                "\(gone) frames and blocks are sent on tracks that are closed: send nothing after "
                    + "close_track, and after left on no track of the participant")
        }
        let passing: [Status] = [.ok, .queueFull, .noBuffer, .gone]
        let refused = sends.filter { $0.status.map { !passing.contains($0) } ?? false }
        guard let first = refused.first, let status = first.status else {
            return .passed("\(sends.count) calls")
        }
        return .failed(
            "\(first.name) is answered \(status), and \(refused.count) of \(sends.count) calls are "
                + "refused: \(first.refusal ?? "refusal_text has the reason")")
    }

    static let callDemand = Check(
        "call.demand", "unwanted tracks are not sent", of: .calls,
        rule: "Tracks that nobody requests are not sent.",
        why: "Receiving and decoding cost time. Sending is only a warning.",
        measured: """
            After one second without demand, sends are counted for one second. With demand \
            again, media must arrive within two seconds if some did before and a track is \
            open.
            """,
        fix: "Stop the decoder without demand, and restart it with a key frame."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.start()
        _ = try fixture.wait(seconds: 1, demanding: true)
        guard !fixture.pluginHarness.openSenders.isEmpty else {
            throw .skipped("no track is open after 1 s: use settings that open one")
        }
        let before = fixture.sends
        _ = try fixture.wait(seconds: 1, demanding: false)
        let between = fixture.sends
        let opened = try fixture.wait(seconds: 1, demanding: false)
        // A new track may send until the plugin receives the demand.
        let unwanted = fixture.sends - between - 4 * opened
        let again = fixture.sends
        // If all participants have left, no media is expected.
        let isOpen = !fixture.pluginHarness.openSenders.isEmpty
        _ = try fixture.wait(seconds: 2, demanding: true)
        let isBack = fixture.sends > again
        try fixture.end()
        guard isBack || before == 0 || !isOpen else {
            return .failed(
                "sends nothing on tracks that are requested again: follow each demand, not only "
                    + "the first"
            )
        }
        return unwanted > 0
            ? .warning(
                "sends \(unwanted) times in a second on unwanted tracks: receive and "
                    + "decode nothing while is_wanted of demand is 0")
            : .passed()
    }

    static let callStaleDemand = Check(
        "call.stale-demand", "a demand for a closed track is harmless", of: .calls,
        rule: "A demand for a closed track is ignored.",
        why: "A demand can cross the close of its track, so every call receives one at some time.",
        measured: """
            demand is called with a sender that belongs to no open track; the call must \
            continue.
            """,
        fix: "Look the sender up, and return if no track has it."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.start()
        try fixture.wait(seconds: 1)
        let unknown = (fixture.pluginHarness.openSenders.max() ?? 0) &+ 0x1_0000_0001
        for isWanted in [true, false] {
            let end = fixture.pluginHarness.demand([
                Demand(sender: unknown, isWanted: isWanted, capability: nil)
            ])
            if case .lost = end {
                return .crashed(
                    fixture.process.evidence ?? "its process is lost in demand",
                    fixture.process.lines)
            }
            guard end == .done else { throw fixture.ordinary(.demand, end) }
        }
        try fixture.wait(seconds: 0.5)
        try fixture.end()
        return .passed()
    }
}

extension Examination {
    /// Runs a call and demands every track.
    ///
    /// - Returns: The plugin's calls of the host while it was sending.
    fileprivate func run(forSeconds seconds: Int) throws(Verdict) -> [TracedCall] {
        let fixture = try fixture()
        try fixture.start()
        _ = try fixture.wait(seconds: seconds, demanding: true)
        let calls = fixture.record.calls
        try fixture.end()
        return calls
    }
}

extension Fixture {
    /// Waits for session time, and demands all tracks or none, including tracks opened meanwhile.
    ///
    /// - Returns: The number of tracks opened meanwhile.
    fileprivate func wait(seconds: Int, demanding isWanted: Bool) throws(Verdict) -> Int {
        let capability = VideoCapability(width: 640, height: 360, fps: 30)
        var told: Set<UInt64> = []
        var atFirst = 0
        for step in 0..<(seconds * 50) {
            let demands = pluginHarness.openSenders.filter { told.insert($0).inserted }.map {
                Demand(sender: $0, isWanted: isWanted, capability: isWanted ? capability : nil)
            }
            if step == 0 { atFirst = demands.count }
            if !demands.isEmpty {
                let end = pluginHarness.demand(demands)
                guard end == .done else { throw ordinary(.demand, end) }
            }
            try wait(seconds: 0.02)
        }
        return told.count - atFirst
    }

    /// The number of the plugin's sends.
    fileprivate var sends: Int { record.calls.count { $0.isSend } }
}

extension TracedCall {
    /// Whether the call adds, changes or removes a participant or a track.
    fileprivate var isOfParticipants: Bool {
        switch request {
        case .joined, .left, .openTrack, .closeTrack, .setMuted, .setRecorded: true
        default: false
        }
    }
}
