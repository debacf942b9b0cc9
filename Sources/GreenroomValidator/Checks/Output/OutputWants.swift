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
        "output.wants", "the output answers each track with a want", of: .outputs,
        proving: """
            Describes a camera, a microphone, a share, its audio and the mixes, each three times: \
            first with nothing wanted, then with the last answer. track must answer GR_STATUS_OK \
            each time, what it wants must be possible and the same each time, and it must want \
            something of at least one track, unless it is a call without participants. The host \
            describes a track again once its source has agreed, and the last answer counts.
            """
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
            var last: TrackWant?
            for _ in 0..<3 {
                let want = try fixture.want(of: track, &written)
                guard last == nil || last == want else {
                    return .failed(
                        "of the track \(track.name) it wants \(last?.inWords ?? "nothing") first, "
                            + "and \(want.inWords ?? "nothing") when it is asked again: the answer "
                            + "depends only on the settings and the track")
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
                    "no wants without participants; use settings that add one")
            }
            return .failed(
                "wants nothing of any track, and gets nothing: set is_wanted to 1 in track for "
                    + "what it takes")
        }
        return .passed(wants.joined(separator: "; "))
    }

    static let outputUnknownTrack = Check(
        "output.unknown-track", "nothing is wanted of an unknown track", of: .outputs,
        proving: """
            Describes a track of a kind that no host has yet. track must answer GR_STATUS_OK and \
            want nothing of it: "A host may have tracks of further kinds: want nothing of what you \
            don't know."
            """
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
                "track answers \(status) for a track of an unknown kind: \(text). Leave the want as "
                    + "it is, and answer GR_STATUS_OK")
        }
        try fixture.uninitialize()
        try fixture.destroy()
        guard written.is_wanted == 0 else {
            return .failed(
                "wants media of a track of an unknown kind: look at kind, and want nothing of "
                    + "what it does not know")
        }
        return .passed()
    }
}

extension Fixture {
    /// Asks the output once for its want for a track.
    fileprivate func want(
        of track: OutputTrack, _ written: inout gr_want
    ) throws(Verdict) -> TrackWant {
        let end = pluginHarness.ask(about: track, &written)
        guard end == .done else {
            guard case .refused(let status, let text) = end else { throw ordinary(.track, end) }
            throw .failed("track answers \(status) for the track \(track.name): \(text)")
        }
        do throws(InvalidValueError) {
            return try TrackWant(written, isVideo: track.capability != nil)
        } catch {
            throw .failed(
                "the want for the track \(track.name) is impossible: \(error)")
        }
    }
}
