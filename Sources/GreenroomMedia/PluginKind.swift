/// The kind of a plugin. Raw values are those of `GR_KIND_…`.
///
/// `facts` has all properties of a kind.
public enum PluginKind: UInt32, CaseIterable, Sendable {
    /// A camera.
    case videoSource = 1
    /// A microphone.
    case virtualMic = 2
    /// A screen share.
    case shareSource = 3
    /// The audio of a share.
    case shareAudioSource = 4
    /// A filter that edits the frames of a camera or a share.
    case preProcessor = 5
    /// The plugin receives the session's media.
    case output = 6
    /// An output that brings participants.
    case call = 7
    /// The plugin receives the session's media, and makes one video of them.
    case composer = 8
    /// A filter that edits the audio of a microphone, a share or a participant.
    case audioPreProcessor = 9

    /// The name in lists and reports, e.g. `"video source"`.
    public var name: String { facts.name }

    /// The name with its article, e.g. `"a video source"`.
    package var nameWithArticle: String {
        "\(name.prefix(1).allSatisfy("aeiou".contains) ? "an" : "a") \(name)"
    }
}

extension PluginKind {
    /// The medium that a plugin sends or edits.
    package enum Medium: Sendable {
        /// Frames.
        case video
        /// Blocks of samples.
        case audio
    }

    /// The direction of a plugin's media.
    package enum Direction: Sendable {
        /// The plugin sends media.
        case source
        /// The plugin edits media in place.
        case filter
        /// The plugin receives media.
        case output
        /// The plugin receives media, and sends one video of them.
        case composer
    }

    /// The properties of a kind.
    package struct Facts: Sendable {
        /// The name in lists and reports, e.g. `"video source"`.
        package var name: String
        /// The name in messages, with its article, e.g. `"a camera"`.
        package var title: String
        /// The argument of `greenroom new`, e.g. `"camera"`.
        package var word: String
        /// The medium that it sends or edits; nil for an output, which may take both.
        package var medium: Medium?
        /// The direction of its media; only sources and composers have a sender, of their medium.
        package var direction = Direction.source
        /// The rule by which it chooses size and rate; nil without a choice.
        package var offerRule: OfferRule?
        /// Whether it may pause.
        package var canPause = false
        /// Whether it brings participants, whose media it sends.
        package var bringsParticipants = false
    }

    /// The table of kinds.
    package var facts: Facts {
        switch self {
        case .videoSource:
            Facts(
                name: "video source", title: "a camera", word: "camera", medium: .video,
                offerRule: .rows)
        case .virtualMic:
            Facts(name: "virtual mic", title: "a microphone", word: "microphone", medium: .audio)
        case .shareSource:
            Facts(
                name: "share source", title: "a screen share", word: "share", medium: .video,
                offerRule: .upTo, canPause: true)
        case .shareAudioSource:
            Facts(
                name: "share audio source", title: "the audio of a share", word: "share-audio",
                medium: .audio, canPause: true)
        case .preProcessor:
            Facts(
                name: "video pre-processor", title: "a video filter", word: "pre-processor",
                medium: .video, direction: .filter)
        case .output:
            Facts(name: "output", title: "an output", word: "output", direction: .output)
        case .call:
            Facts(
                name: "call", title: "a call", word: "call", direction: .output,
                bringsParticipants: true)
        case .composer:
            Facts(
                name: "composer", title: "a composer", word: "composer", medium: .video,
                direction: .composer, offerRule: .rows)
        case .audioPreProcessor:
            Facts(
                name: "audio pre-processor", title: "an audio filter",
                word: "audio-pre-processor", medium: .audio, direction: .filter)
        }
    }

    /// Whether it edits frames in place.
    package var isFilter: Bool { facts.direction == .filter && facts.medium == .video }

    /// Whether it edits audio in place.
    package var isAudioFilter: Bool { facts.direction == .filter && facts.medium == .audio }

    /// Whether the plugin receives the session's media, and does no more.
    package var isOutput: Bool { facts.direction == .output }

    /// Whether it makes one video of the session's media.
    package var isComposer: Bool { facts.direction == .composer }

    /// Whether the plugin receives the session's media.
    package var takesMedia: Bool { isOutput || isComposer }

    /// Whether it brings participants.
    package var isCall: Bool { facts.bringsParticipants }

    /// The medium of its sender; nil for a filter and for an output, which have none.
    package var sender: Medium? {
        switch facts.direction {
        case .source, .composer: facts.medium
        case .filter, .output: nil
        }
    }

    /// The rule by which it chooses size and rate; nil without a choice.
    package var offerRule: OfferRule? { facts.offerRule }
}

/// The meaning of an offer's rows. The raw values equal `GR_OFFER_…`.
package enum OfferRule: UInt32, Sendable {
    /// One of the rows.
    case rows = 1
    /// Any size and rate up to the one row.
    case upTo = 2
}
