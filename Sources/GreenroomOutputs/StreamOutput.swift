import GreenroomMedia
package import GreenroomModel
import GreenroomSchema
package import GreenroomVideo

/// `stream` with the URL of a server: the bundled output `Stream`.
package struct StreamOutput: HostOutput, Equatable {
    /// The server's URL, which may contain credentials.
    package var url: String

    package var plugin: PluginConfiguration? {
        PluginConfiguration("Stream", settings: ["url": .string(url)])
    }

    package func open(in session: inout OutputBuilder) throws(OutputError) {}
}

extension StreamOutput {
    static let form = OutputForm(
        key: "stream",
        "Sends the camera with the session's audio to a server: the output Stream with its other settings' "
            + "defaults.",
        examples: ["rtmp://live.example.com/app/key", "srt://127.0.0.1:9000"],
        decoder: Decoder<StreamOutput>.section(
            StreamOutput(url: ""), name: "stream", "Sends the session to a media server.",
            expectation: "the URL of a server, or a section with the key \"url\"", shortKey: "url",
            fields: [
                Field(
                    "url", \.url, .text("a URL: rtmp, rtmps, rtsp, srt or udp"), "The server.",
                    examples: ["rtmp://live.example.com/app/key"], isRequired: true)
            ]
        ) { output, _ in output })
}
