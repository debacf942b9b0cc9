import GreenroomLifecycle
package import GreenroomOutputs
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface

extension SessionPlan {
    /// What the outputs write to disks, with the place of each in the session's configuration.
    package func diskUses(of tracks: DiskUse.Tracks) -> [(place: String, use: DiskUse)] {
        let hasCall = configuration.outputs.contains(where: \.output.isCall)
        return configuration.outputs.enumerated().flatMap { index, output -> [(String, DiskUse)] in
            let place = output.origin ?? "\(PluginAddress.output(index))"
            if var use = output.output.diskUse(of: tracks) {
                use.lacksParticipants = hasCall
                return [(place, use)]
            }
            // How much a plugin writes is unknown, but not where.
            return (outputs[index]?.settings ?? []).compactMap { setting in
                guard setting.type == .path, case .string(let path) = setting.value, !path.isEmpty,
                    let slash = path.lastIndex(of: "/")
                else { return nil }
                return (place, DiskUse(folder: String(path[...slash])))
            }
        }
    }

    /// What is wrong with disks: all that is recorded to one counts.
    ///
    /// - Parameter uses: What the outputs write.
    package func shortages(
        of uses: [(place: String, use: DiskUse)]
    ) -> [(place: String, folder: String, text: String)] {
        let disks = uses.map { DiskSpace(of: $0.use.folder)?.device }
        return uses.indices.compactMap { index in
            var use = uses[index].use
            guard use.bytesPerSecond != nil, let disk = disks[index] else { return nil }
            use.bytesPerSecond = uses.indices.reduce(0) { sum, other in
                sum + (disks[other] == disk ? uses[other].use.bytesPerSecond ?? 0 : 0)
            }
            return use.shortage(for: configuration.duration).map {
                (uses[index].place, use.folder, $0)
            }
        }
    }

    /// The tracks as large as the session lets them be.
    package var largestTracks: DiskUse.Tracks {
        configuration.largestTracks(of: slots.map(\.role))
    }
}

extension SessionConfiguration {
    /// Recordings whose video is not encoded, for sessions that may run for long.
    package var unencodedRecordings: [ConfigurationProblem] {
        let ofBroadcast = broadcast == nil ? nil : SessionRole.ofBroadcasts
        let tracks = largestTracks(of: slots.map(\.role) + [ofBroadcast].compactMap(\.self))
        guard !tracks.video.isEmpty else { return [] }
        return outputs.enumerated().compactMap { index, output in
            guard let recording = output.output as? Recording,
                let bytes = recording.diskUse(of: tracks)?.bytesPerHour
            else { return nil }
            return ConfigurationProblem(
                "the video is not encoded, and takes up to \(DiskUse.words(ofBytes: bytes)) an hour. Record "
                    + "to one file, such as record: \(recording.folder).mkv.",
                at: output.origin ?? "\(PluginAddress.output(index))")
        }
    }

    /// The tracks of roles, as large as the session lets them be.
    fileprivate func largestTracks(of roles: [SessionRole]) -> DiskUse.Tracks {
        DiskUse.Tracks(
            video: Dictionary(
                roles.filter { $0.medium == .video }.map { ($0.track, maximum) },
                uniquingKeysWith: { first, _ in first }),
            audio: roles.count { $0.medium == .audio })
    }
}
