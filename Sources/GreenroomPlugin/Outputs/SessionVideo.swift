/// The video of the session that an output with one picture takes, as a setting.
package enum SessionVideo: String, CaseIterable, Sendable {
    case camera, share, stage

    /// The kind of the track.
    package var kind: Track.Kind {
        switch self {
        case .camera: .camera
        case .share: .share
        case .stage: .stage
        }
    }
}
