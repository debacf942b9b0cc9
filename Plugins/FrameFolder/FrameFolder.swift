import PluginImages
import GreenroomPlugin
import GreenroomSystem
import SystemPackage

/// Writes every n-th new frame of the camera, the share or the participants as an image into a
/// folder.
final class FrameFolder: Output {
    static let plugin = PluginDescription(
        id: "org.greenroom.frame-folder", name: "FrameFolder", version: "1.0.0",
        summary: "Writes frames as PNG or JPEG images into a folder", vendor: "Greenroom")

    enum Source: String, CaseIterable {
        case camera, share, stage, participants
    }

    enum Format: String, CaseIterable {
        case png, jpeg
    }

    struct Settings: PluginSettings {
        var folder = ""
        var track = Source.camera
        var every = 30
        var format = Format.png
        var quality = 90
        var limit = 0

        static let table: [Setting<Self>] = [
            .path(
                "folder", \.folder, title: "Folder of the images; created if missing",
                required: true),
            .choice(
                "track", \.track,
                title: "Track to write images of; participants: their cameras and shares"),
            .integer(
                "every", \.every, in: 1...1_000_000,
                title: "Write every n-th new frame of a track", live: true),
            .choice("format", \.format, title: "Format of the images"),
            .integer("quality", \.quality, in: 1...100, title: "Quality of JPEG"),
            .integer(
                "limit", \.limit, in: 0...1_000_000_000,
                title: "Maximum number of images; 0: no limit"),
        ]
    }

    private var settings: Settings
    private let host: PluginHost
    private var writer: ImageWriter
    /// The number of new frames of each track that it writes, by the track's id.
    private var newFrames: [UInt32: Int] = [:]
    private var images = 0
    private var hasFailed = false

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
        writer = ImageWriter(
            settings.format == .png ? .png : .jpeg(quality: settings.quality))
    }

    func onTrack(_ track: Track) -> TrackWant? {
        let isWanted =
            switch settings.track {
            case .camera: isFirst(track, of: .camera)
            case .share: isFirst(track, of: .share)
            case .stage: isFirst(track, of: .stage)
            case .participants: track.participant != nil && track.kind.isVideo
            }
        guard isWanted else { return nil }
        newFrames[track.id] = 0
        return .video(VideoTrackWant(format: .rgba, pace: .complete))
    }

    /// Whether a track of the session is the first of a kind; `tracks` of the session file chooses another.
    private func isFirst(_ track: Track, of kind: Track.Kind) -> Bool {
        track.participant == nil && track.kind == kind
            && (newFrames.isEmpty || newFrames[track.id] != nil)
    }

    func onStart() throws {
        // Tracks of participants may open later, so their absence is not an error.
        guard !newFrames.isEmpty || settings.track == .participants else {
            throw PluginError(
                "the session has no \(settings.track) for this output; add one to the session file (and to "
                    + "'tracks' if the output has that key), or set the other one as 'track'",
                status: .unavailable)
        }
        do throws(Errno) {
            try FileDescriptor.makeFolder(settings.folder)
        } catch {
            throw PluginError(
                "\(settings.folder): cannot make the folder: \(error); name one below a writable "
                    + "folder", status: .unavailable)
        }
        host.report("images", images)
    }

    func onVideo(_ frame: borrowing OutputFrame) throws {
        // A repeated frame, black and a slate are no images of the source.
        guard frame.content == .new, !hasFailed else { return }
        let place = newFrames[frame.track.id, default: 0]
        newFrames[frame.track.id] = place + 1
        guard place % settings.every == 0, settings.limit == 0 || images < settings.limit
        else { return }
        let path = "\(settings.folder)/\(name(of: frame))"
        do {
            try writer.write(
                frame.plane(0), size: frame.size, strideBytes: frame.strideBytes(ofPlane: 0),
                to: path)
        } catch {
            // The first write error ends the plugin: the next images would fail, too.
            hasFailed = true
            host.giveUp("\(error)", status: .unavailable)
            throw error
        }
        images += 1
        host.report("images", images)
    }

    func onSettingsChange(_ settings: Settings) { self.settings = settings }

    func onTrackEnded(_ track: Track) { newFrames[track.id] = nil }

    /// `frame-000030.png`, or `ana-camera-000030.png` of a participant: the frame's place in its
    /// track.
    private func name(of frame: borrowing OutputFrame) -> String {
        let digits = String(frame.index)
        let zeros = String(repeating: "0", count: max(6 - digits.count, 0))
        let prefix = settings.track == .participants ? frame.track.name : "frame"
        return "\(prefix)-\(zeros)\(digits).\(settings.format == .png ? "png" : "jpg")"
    }
}
