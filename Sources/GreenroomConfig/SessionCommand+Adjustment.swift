import GreenroomMedia
import GreenroomModel
import GreenroomSchema

extension SessionCommand {
    /// Reads `gain TARGET DECIBELS` and `delay TARGET TIME`.
    init(adjusting words: [String]) throws(CommandError) {
        let isGain = words[0] == "gain"
        let expectation =
            isGain
            ? "\"gain\" needs audio and decibels from -60 to 24, such as gain microphone -6"
            : "\"delay\" needs a track and a time from 0s to 2s, such as delay microphone 120ms"
        guard words.count > 2, let value = words.last else {
            throw CommandError("\(expectation).")
        }
        guard let target = MediaTarget(words[1..<(words.count - 1)], takesVideo: !isGain) else {
            let found = words[1..<(words.count - 1)].joined(separator: " ")
            let isVideo =
                words.dropLast().last.flatMap { SessionTrack(name: $0) }?.medium == .video
            throw CommandError(
                "\"\(found.shortened)\" is \(isVideo ? Self.reasonOfVideo(isGain) : "not a track"). Write the name of a track such as microphone, "
                    + "\"participant NAME\", or an output and its audio such as outputs[0] full-mix."
            )
        }
        if isGain, let decibels = Double(value), Self.gains.contains(decibels) {
            self = .gain(target, decibels: decibels)
        } else if !isGain, let time = Duration(asWritten: value), time <= Self.longestDelay {
            self = .delay(target, time)
        } else {
            throw CommandError("\(expectation), found \"\(value.shortened)\".")
        }
    }
}

extension SessionCommand {
    /// The reason that a track of video is wrong.
    private static func reasonOfVideo(_ isGain: Bool) -> String {
        isGain
            ? "video, and only audio has a gain"
            : "the video of one output, which shares it with the others. Delay the source's, such as delay camera 120ms"
    }
}

extension MediaTarget {
    fileprivate init?(_ words: ArraySlice<String>, takesVideo: Bool) {
        guard let first = words.first else { return nil }
        if first == TrackSelection.Participants.word {
            let isVideo = takesVideo && words.count > 2 && words.last == Self.videoWord
            let name = words.dropFirst().dropLast(isVideo ? 1 : 0).joined(separator: " ")
            guard !name.isEmpty else { return nil }
            self = isVideo ? .participantVideo(name) : .participant(name)
            return
        }
        if words.count == 1, let role = SessionTrack(name: first)?.role,
            takesVideo || role.medium == .audio
        {
            self = .source(role)
            return
        }
        guard words.count == 2, let last = words.last, let track = SessionTrack(name: last),
            track.medium == .audio, let steps = Override.steps(of: first[...]), steps.count == 2,
            steps[0] == .key(PluginAddress.outputsKey), case .index(let index) = steps[1]
        else { return nil }
        self = .output(.output(index), track: last)
    }
}
