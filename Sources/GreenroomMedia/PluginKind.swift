/// What a plugin is. Raw values are those of `GR_KIND_…`.
///
/// Everything that the host knows of a kind is in its `facts`.
public enum PluginKind: UInt32, CaseIterable, Sendable {
    /// A camera.
    case videoSource = 1
    /// A microphone.
    case virtualMic = 2
    /// A screen share.
    case shareSource = 3
    /// The sound of a share.
    case shareAudioSource = 4
    /// A filter that edits a camera's frames.
    case preProcessor = 5

    /// The name that people read, e.g. `"video source"`.
    public var name: String { facts.name }
}

extension PluginKind {
    /// What a plugin sends or edits.
    package enum Medium: Sendable {
        /// Frames.
        case video
        /// Blocks of samples.
        case audio
    }

    /// What sets a kind apart from the others.
    package struct Facts: Sendable {
        /// The name that lists and reports use, e.g. `"video source"`.
        package var name: String
        /// What people call it, with its article, e.g. `"a camera"`.
        package var title: String
        /// The word that `greenroom new` takes, e.g. `"camera"`.
        package var word: String
        /// What it sends or edits.
        package var medium: Medium
        /// Whether it edits frames in place; all others send, through a sender of their medium.
        package var isFilter = false
        /// How it chooses a size and a rate; nil where there is nothing to choose.
        package var offerRule: OfferRule?
        /// Whether it may say that nothing new comes for now.
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
                name: "share audio source", title: "the sound of a share", word: "share-audio",
                medium: .audio, canPause: true)
        case .preProcessor:
            Facts(
                name: "video pre-processor", title: "a video filter", word: "pre-processor",
                medium: .video, isFilter: true)
        }
    }

    /// Whether it edits frames in place.
    package var isFilter: Bool { facts.isFilter }

    /// The medium of the sender that it gets; nil for a filter, which gets none.
    package var sender: Medium? { facts.isFilter ? nil : facts.medium }

    /// How it chooses a size and a rate; nil where there is nothing to choose.
    package var offerRule: OfferRule? { facts.offerRule }
}

/// How to read the rows of an offer. Raw values are those of `GR_OFFER_…`.
package enum OfferRule: UInt32, Sendable {
    /// One of the rows.
    case rows = 1
    /// Any size and rate up to the one row.
    case upTo = 2
}
