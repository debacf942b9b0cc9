import GreenroomMedia
import GreenroomNegotiation
import GreenroomSchema

extension VideoSinkWant {
    /// What differs from the track's own picture: `, 1280x720, 30 fps, crop`.
    var differences: String {
        let parts = [
            size.map { "\($0)" }, rate.map { "\($0) fps" },
            size == nil || fit == .letterbox ? nil : fit.rawValue,
        ]
        return parts.compactMap { $0 }.map { ", \($0)" }.joined()
    }
}

/// A section of an output that says how it wants its picture.
protocol WithVideoWant: Sendable {
    var video: VideoSinkWant { get set }
}

extension WithVideoWant {
    /// The keys `size`, `fps` and `fit`.
    static var videoFields: [Field<Self>] {
        [
            Field(
                "size", \.video.size, .size,
                "The size of the picture; the track's own if there is none.",
                examples: ["1280x720"]),
            Field(
                "fps", \.video.rate, .rate,
                "Frames a second; the track's own if there is none.",
                examples: [30, "30000/1001"]),
            Field(
                "fit", \.video.fit,
                .choice {
                    switch $0 {
                    case .letterbox: "All of the picture, centred, with black bars."
                    case .crop: "The middle of the picture fills the frame; the rest is cut off."
                    case .stretch: "All of the picture fills the frame, out of proportion."
                    case .reject: "A picture of another shape is an error."
                    }
                },
                "What becomes of a picture of another shape.", examples: ["crop"],
                defaultValue: .string(Fit.letterbox.rawValue)),
        ]
    }
}
