import GreenroomMedia
import GreenroomNegotiation
import GreenroomSchema

/// A section of an output with a want for video.
protocol WithVideoWant: Sendable {
    var video: VideoSinkWant { get set }
}

extension WithVideoWant {
    /// The keys `size`, `fps`, `fit` and `matrix`.
    static var videoFields: [Field<Self>] {
        [
            Field(
                "size", \.video.size, .size,
                "The size of the video. Default: the track's size.",
                examples: ["1280x720"]),
            Field(
                "fps", \.video.rate, .rate,
                "Frames per second. Default: the track's rate.",
                examples: [30, "30000/1001"]),
            Field(
                "fit", \.video.fit,
                .choice {
                    switch $0 {
                    case .letterbox: "The whole image, centred, with black bars."
                    case .crop: "The middle of the image fills the frame; the rest is cropped."
                    case .stretch: "The whole image fills the frame, distorted."
                    case .reject: "Another aspect ratio is an error."
                    }
                },
                "The treatment of another aspect ratio.", examples: ["crop"],
                defaultValue: .string(Fit.letterbox.rawValue)),
            Field(
                "matrix", \.video.matrix,
                .oneOf([
                    ("bt601", "BT.601, of standard definition.", .bt601),
                    ("bt709", "BT.709, of high definition.", .bt709),
                ]),
                "The colour matrix. Default: bt709 from 720 lines on, otherwise bt601.",
                examples: ["bt709"]),
        ]
    }
}
