import GreenroomLifecycle
package import GreenroomOutputs
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface

extension SessionPlan {
    /// Returns the disk use of each output, with the output's place in the session's configuration.
    package func diskUses(of tracks: DiskUse.Tracks) -> [(place: String, use: DiskUse)] {
        let hasCall = configuration.outputs.contains(where: \.output.isCall)
        return configuration.outputs.enumerated().flatMap { index, output -> [(String, DiskUse)] in
            let place = output.origin ?? "\(PluginAddress.output(index))"
            if var use = output.output.diskUse(of: tracks) {
                use.lacksParticipants = hasCall
                return [(place, use)]
            }
            // The folder of a plugin's output is known, but not its size.
            return (outputs[index]?.settings ?? []).compactMap { setting in
                guard setting.type == .path, case .string(let path) = setting.value, !path.isEmpty,
                    let slash = path.lastIndex(of: "/")
                else { return nil }
                return (place, DiskUse(folder: String(path[...slash])))
            }
        }
    }

    /// Returns the shortages of disk space. All recordings on a disk count together.
    ///
    /// - Parameter uses: The disk use of each output.
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

    /// The tracks at the largest size that the session permits.
    package var largestTracks: DiskUse.Tracks {
        configuration.largestTracks(of: slots.map(\.role))
    }
}

extension SessionConfiguration {
    /// Recordings of unencoded video, for sessions that may run for long.
    package var unencodedRecordings: [ConfigurationProblem] {
        let tracks = largestTracks(of: slots.map(\.role))
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

    /// Returns the tracks of roles, at the largest size that the session permits.
    fileprivate func largestTracks(of roles: [SessionRole]) -> DiskUse.Tracks {
        DiskUse.Tracks(
            video: Dictionary(
                roles.filter { $0.medium == .video }.map { ($0.track, maximum) },
                uniquingKeysWith: { first, _ in first }),
            audio: roles.count { $0.medium == .audio })
    }
}
