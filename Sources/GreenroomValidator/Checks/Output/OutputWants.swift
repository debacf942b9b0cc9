import GreenroomModel
import GreenroomABI
import GreenroomHarness
import GreenroomIsolation
import GreenroomMedia
import GreenroomPluginInterface
import GreenroomLifecycle

extension Catalogue {
    /// The check on which the other checks of outputs depend.
    static let outputWants = Check(
        "output.wants", "the output answers each track with a requested format", of: .outputs,
        rule: "The output answers each track with a possible format.",
        why: "The host asks again once the source has agreed, and the last answer counts.",
        measured: """
            Each track of a session, three times. track must answer GR_STATUS_OK, request \
            the same each time, and request at least one track, except in a call without \
            participants.
            """,
        fix: "Decide only from the track's description."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        let end = fixture.make(.initialize)
        guard end == .done else {
            guard fixture.pluginHarness.hasRefusedTrack, case .refused(let status, let text) = end
            else { throw fixture.ordinary(.initialize, end) }
            return .failed(
                status == .badAnswer ? text.description : "track answers \(status): \(text)")
        }
        var wants: [String] = []
        let kind = examination.descriptor.kind
        // A plugin for participants does not want the session's own tracks.
        let tracks =
            PluginHarness.outputTracks(for: kind)
            + (kind.isCall ? [] : PluginHarness.participantTracks)
        for track in tracks where kind.isCall || track.participant == nil || wants.isEmpty {
            var written = gr_want.ordinary
            var last: TrackRequest?
            for _ in 0..<3 {
                let want = try fixture.want(of: track, &written)
                guard last == nil || last == want else {
                    return .failed(
                        "of the track \(track.name) it requests \(last?.inWords ?? "nothing") "
                            + "first, and \(want.inWords ?? "nothing") when it is asked again: the "
                            + "answer depends only on the settings and the track")
                }
                last = want
            }
            if let words = last?.inWords { wants.append("\(track.name) as \(words)") }
        }
        try fixture.uninitialize()
        try fixture.destroy()
        guard !wants.isEmpty else {
            // A call may want tracks only after a participant joins.
            if kind.isCall {
                return .skipped(
                    "no requested formats without participants; use settings that add one")
            }
            return .failed(
                "requests nothing of any track, and gets nothing: set is_wanted to 1 in track for "
                    + "what it takes")
        }
        return .passed(wants.joined(separator: "; "))
    }

    static let outputUnknownTrack = Check(
        "output.unknown-track", "nothing is requested of an unknown track", of: .outputs,
        rule: "An output requests nothing of a track whose kind it does not know.",
        why: """
            Later hosts have more: "A host may have further kinds: request nothing of a \
            kind that you don't know".
            """,
        measured: "A track of a kind that no host has yet; track must answer GR_STATUS_OK.",
        fix: "Add a default case that requests nothing."
    ) { examination throws(Verdict) in
        let fixture = try examination.fixture()
        try fixture.create()
        try fixture.initialize()
        let track = OutputTrack(id: 1000, kind: 1000, name: "unknown", capability: nil)
        var written = gr_want.ordinary
        let end = fixture.pluginHarness.ask(about: track, &written)
        guard end == .done else {
            guard case .refused(let status, let text) = end else {
                throw fixture.ordinary(.track, end)
            }
            return .failed(
                "track answers \(status) for a track of an unknown kind: \(text). Leave the "
                    + "requested format as it is, and answer GR_STATUS_OK")
        }
        try fixture.uninitialize()
        try fixture.destroy()
        guard written.is_wanted == 0 else {
            return .failed(
                "requests media of a track of an unknown kind: look at kind, and request nothing "
                    + "of what it does not know")
        }
        return .passed()
    }
}

extension Fixture {
    /// Asks the output once for its want for a track.
    fileprivate func want(
        of track: OutputTrack, _ written: inout gr_want
    ) throws(Verdict) -> TrackRequest {
        let end = pluginHarness.ask(about: track, &written)
        guard end == .done else {
            guard case .refused(let status, let text) = end else { throw ordinary(.track, end) }
            throw .failed("track answers \(status) for the track \(track.name): \(text)")
        }
        do throws(InvalidValueError) {
            return try TrackRequest(written, isVideo: track.capability != nil)
        } catch {
            throw .failed(
                "the requested format for the track \(track.name) is impossible: \(error)")
        }
    }
}
