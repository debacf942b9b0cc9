import Foundation
package import TestSupport
package import Testing

/// A session file that a test writes, with its recording in the same folder.
package struct FileSession {
    package let folder: TemporaryFolder
    /// The session file.
    package let file: String
    /// The folder of the recording.
    package let recording: String

    /// Writes a session file that records.
    ///
    /// - Parameters:
    ///   - sources: The sections `camera`, `microphone` and `share`; ``hostile(_:_:)`` and
    ///     ``bundled(_:_:)`` name plugins.
    ///   - duration: nil for a session that runs until it is stopped.
    ///   - clock: `"virtual"` for a session that takes no time and is deterministic.
    ///   - table: The sizes for cameras, instead of the standard ones.
    ///   - timeline: Entries, each the content of a YAML flow mapping.
    ///   - isolation: The session's `isolation`: in the host's process, `"process"`, or nil for no
    ///     key.
    ///   - outputs: Other outputs than one recording.
    package init(
        _ sources: String, maximum: String = "320x180@15", duration: String? = "800ms",
        deadline: String = "60s", clock: String? = nil, table: String? = nil,
        timeline: [String] = [], isolation: String? = "host",
        outputs: String = "[{ record: recording }]"
    ) throws {
        folder = try TemporaryFolder()
        recording = folder("recording")
        file = try folder.write(
            "session.yaml",
            """
            session:
              maximum: \(maximum)
              callback-deadline: \(deadline)
              \(duration.map { "duration: \($0)" } ?? "")
              \(clock.map { "clock: \($0)" } ?? "")
              \(table.map { "table: \($0)" } ?? "")
              \(isolation.map { "isolation: \($0)" } ?? "")
            \(sources)
            timeline: [\(timeline.map { "{ \($0) }" }.joined(separator: ", "))]
            outputs: \(outputs)

            """)
    }

    /// The report. Expects that the accounts of a session that has ended add up.
    package func report(sourceLocation: SourceLocation = #_sourceLocation) throws -> Report {
        let report = try Report(recording + "/session.json")
        if report.outcome != "running" { report.expectAdditive(sourceLocation) }
        return report
    }

    /// The video of a track: `"camera"` or `"share"`.
    package func picture(_ track: String) throws -> Y4MRecording {
        try Y4MRecording("\(recording)/\(track).y4m")
    }

    /// The audio of a track: `"camera"` for the microphone, or `"share"`.
    package func sound(_ track: String) throws -> WAVRecording {
        try WAVRecording("\(recording)/\(track).wav")
    }

    /// A plugin of the hostile library as a flow mapping of YAML.
    ///
    /// - Parameters:
    ///   - settings: As YAML, e.g. `"where: create"`.
    ///   - more: Other keys of the plugin, e.g. `"on-failure: off"`.
    package static func hostile(_ name: String, _ settings: String = "", _ more: String = "") throws
        -> String
    {
        mapping(try TestPlugins.hostile() + "#" + name, settings, more)
    }

    /// A library with one plugin as a flow mapping of YAML.
    package static func library(_ path: String, _ settings: String = "", _ more: String = "")
        -> String
    {
        mapping(path, settings, more)
    }

    /// A bundled plugin as a flow mapping of YAML.
    package static func bundled(_ name: String, _ settings: String = "", _ more: String = "")
        -> String
    {
        mapping(name, settings, more)
    }

    private static func mapping(_ plugin: String, _ settings: String, _ more: String) -> String {
        let rest = more.isEmpty ? "" : ", " + more
        return "{ plugin: \"\(plugin)\", settings: { \(settings) }\(rest) }"
    }
}

extension Report {
    /// Expects that each period and each frame is of one kind, and that outputs have as many.
    package func expectAdditive(_ sourceLocation: SourceLocation = #_sourceLocation) {
        let tracks = (participants ?? []).flatMap(\.tracks)
        for picture in videoTracks + tracks.compactMap(\.video) {
            let account = picture.account
            #expect(
                account.kinds == account.total, "\(picture.track): \(account)",
                sourceLocation: sourceLocation)
            for output in picture.outputs
            where output.failure == nil && output.unwanted == 0
                && picture.capability.hasSuffix("@\(output.rate)")
            {
                #expect(
                    account.total == output.periods, "\(picture.track): \(account), \(output)",
                    sourceLocation: sourceLocation)
            }
        }
        for sound in audioTracks + tracks.compactMap(\.audio) {
            let account = sound.account
            #expect(
                account.kinds == account.total
                    && account.total == sound.played + sound.concealed + sound.idle + sound.muted,
                "\(sound)", sourceLocation: sourceLocation)
        }
    }
}

extension FileSession {
    /// Expects that the report is consistent, and that it matches the files.
    ///
    /// - Parameter readingAudio: Whether to read audio files, which takes long for hours of audio.
    /// - Returns: The report.
    @discardableResult
    package func expectTrueReport(
        _ run: Finished, readingAudio: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Report {
        let report = try report()
        for picture in report.videoTracks {
            let name = picture.track
            #expect(
                picture.sent == picture.accepted + picture.refused.values.reduce(0, +),
                "\(name): sent\n\(run)", sourceLocation: sourceLocation)
            let before =
                picture.superseded + picture.discarded + picture.queued + picture.overRate
                + picture.withheld + picture.unconvertible
            #expect(
                picture.accepted == before + picture.carried,
                "\(name): accepted: \(picture)\n\(run)",
                sourceLocation: sourceLocation)
            #expect(
                picture.arrival.count == max(picture.accepted - 1, 0),
                sourceLocation: sourceLocation)
            for output in picture.outputs {
                let reached =
                    output.delivered + output.excess + output.queueFull + output.beforeStart
                    + output.afterEnd + output.unwanted + output.unconvertible + output.failed
                    + output.queued
                #expect(
                    picture.carried == reached, "\(name): carried: \(picture)\n\(run)",
                    sourceLocation: sourceLocation)
                #expect(
                    output.departure.count == max(output.periods - 1, 0), "\(output)",
                    sourceLocation: sourceLocation)
                #expect(output.delayed <= output.delivered, sourceLocation: sourceLocation)
            }
            #expect(picture.leased <= picture.accepted, sourceLocation: sourceLocation)
            #expect(picture.staleRevision <= picture.accepted, sourceLocation: sourceLocation)
            guard let output = picture.outputs.first(where: { $0.output.contains("recording") })
            else { continue }
            let files = try output.pieces?.map { try Y4MRecording($0.file) } ?? [self.picture(name)]
            #expect(
                files.map(\.frameCount).reduce(0, +) == output.periods,
                "\(name): frames\n\(run)", sourceLocation: sourceLocation)
            #expect(
                files.allSatisfy { $0.trailingBytes == 0 }, "\(run)", sourceLocation: sourceLocation
            )
        }
        for sound in report.audioTracks {
            #expect(
                sound.sent == sound.accepted + sound.refused.values.reduce(0, +),
                "\(sound.role): sent\n\(run)", sourceLocation: sourceLocation)
            #expect(
                sound.frames == sound.played + sound.beforeStart + sound.cut + sound.queued,
                "\(sound)\n\(run)", sourceLocation: sourceLocation)
        }
        for file in report.audioFiles {
            if readingAudio {
                let recording = try WAVRecording(file.output)
                #expect(recording.sampleRate == 48_000, sourceLocation: sourceLocation)
                #expect(recording.headerExcessBytes == 0, "\(run)", sourceLocation: sourceLocation)
                #expect(
                    recording.frameCount == file.written, "\(run)", sourceLocation: sourceLocation)
            }
            let isOwn = ["/camera.wav", "/share.wav"].contains { file.output.hasSuffix($0) }
            guard isOwn else { continue }
            let role = file.output.hasSuffix("/camera.wav") ? "microphone" : "share.audio"
            let sound = try report.sound(role)
            // What a working file has lost is silence in it.
            let total = file.written + (file.failure == nil ? 0 : file.lost)
            #expect(
                sound.played + sound.concealed + sound.idle + sound.muted == total,
                "\(role): \(sound), \(file)\n\(run)", sourceLocation: sourceLocation)
        }
        return report
    }

    /// Expects that a recording of a well-behaved hostile source is complete: a frame for each
    /// period, the four quarters in each, and no refusals.
    package func expectUnharmed(
        _ track: String, _ run: Finished, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let picture = try report().picture(track)
        let recording = try self.picture(track)
        #expect(recording.frameCount > 0, "\(run)", sourceLocation: sourceLocation)
        let output = picture.outputs.first { $0.output.contains("recording") }
        #expect((output?.delivered ?? 0) > 0, "\(run)", sourceLocation: sourceLocation)
        let refused = picture.refused.filter { $0.key != "STOPPED" }
        #expect(refused.isEmpty, "\(run)", sourceLocation: sourceLocation)
        for index in [0, recording.frameCount - 1] where index >= 0 {
            Quarters().expect(
                in: try recording.frame(index), within: 2, sourceLocation: sourceLocation)
        }
    }
}
