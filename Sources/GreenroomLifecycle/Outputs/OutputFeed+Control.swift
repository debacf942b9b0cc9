import GreenroomABI
import GreenroomMedia
import GreenroomModel
package import GreenroomNegotiation
import GreenroomPluginInterface

/// Calls from a running output plugin to the host.
extension OutputFeed {
    /// The current want for a track, as input to negotiation; nil if the output does not use the
    /// track.
    package func demand(of track: UInt32) -> OutputDemand? {
        guard !hasLeft, case .video(let want) = wanted(of: track)?.want else { return nil }
        let ceiling = control.ceiling(of: track).map {
            OutputCeiling(
                limit: $0.limit, origin: $0.reason.isEmpty ? name : "\(name): \($0.reason)")
        }
        return OutputDemand(want: want.video, ceiling: ceiling)
    }

    /// Sets the output's ceiling of a track; nil removes the ceiling. [any]
    ///
    /// - Returns: Whether the ceiling changed.
    func set(
        ceiling: gr_capability?, of id: UInt32, because reason: String
    ) throws(Refusal) -> Bool {
        guard let track = wanted(of: id)?.track else {
            throw Refusal(.unknownTrack(id), in: .setCeiling)
        }
        guard track.capability != nil else { throw Refusal(.audioTrack(id), in: .setCeiling) }
        guard let ceiling else { return control.set(nil, of: id) }
        guard let limit = VideoCapability(ceiling) else {
            throw Refusal(
                .ceiling(
                    width: ceiling.width, height: ceiling.height,
                    numerator: ceiling.fps_numerator, denominator: ceiling.fps_denominator),
                in: .setCeiling)
        }
        return control.set(OutputControl.Ceiling(limit: limit, reason: reason), of: id)
    }
}
