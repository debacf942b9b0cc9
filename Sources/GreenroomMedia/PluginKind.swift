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
    /// A filter that edits a camera's frames.
    case preProcessor = 5

    /// The name in lists and reports, e.g. `"video source"`.
    public var name: String { facts.name }
}

extension PluginKind {
    /// The medium that a plugin sends or edits.
    package enum Medium: Sendable {
        /// Frames.
        case video
        /// Blocks of samples.
        case audio
    }

    /// The properties of a kind.
    package struct Facts: Sendable {
        /// The name in lists and reports, e.g. `"video source"`.
        package var name: String
        /// The name in messages, with its article, e.g. `"a camera"`.
        package var title: String
        /// The argument of `greenroom new`, e.g. `"camera"`.
        package var word: String
        /// The medium that it sends or edits.
        package var medium: Medium
        /// Whether it edits frames in place; all others have a sender of their medium.
        package var isFilter = false
        /// How it chooses size and rate; nil without a choice.
        package var offerRule: OfferRule?
        /// Whether it may pause.
        package var canPause = false
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
                medium: .video, isFilter: true)
        }
    }

    /// Whether it edits frames in place.
    package var isFilter: Bool { facts.isFilter }

    /// The medium of its sender; nil for a filter, which has none.
    package var sender: Medium? { facts.isFilter ? nil : facts.medium }

    /// How it chooses size and rate; nil without a choice.
    package var offerRule: OfferRule? { facts.offerRule }
}

/// How to read the rows of an offer. Raw values are those of `GR_OFFER_…`.
package enum OfferRule: UInt32, Sendable {
    /// One of the rows.
    case rows = 1
    /// Any size and rate up to the one row.
    case upTo = 2
}
