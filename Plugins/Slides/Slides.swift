import GreenroomSystem
import GreenroomPlugin
import PluginImages

/// Shows images in turn as a screen share.
///
/// Sends a slide when it changes, and at least twice a second, so that viewers that join late or
/// lose a frame soon see it.
final class Slides: Screen {
    static let plugin = PluginDescription(
        id: "org.greenroom.slides", name: "Slides", version: "1.0.0",
        summary: "Shows PNG and JPEG images as a screen share", vendor: "Greenroom")

    struct Settings: PluginSettings {
        var path = ""
        var seconds = 5.0

        static let table: [Setting<Self>] = [
            .path("path", \.path, title: "Image, or folder of images", required: true),
            .number(
                "seconds", \.seconds, in: 0.1...86_400, title: "Time for which a slide is shown",
                unit: "s"),
        ]
    }

    let format = PixelFormat.rgba
    let color = ColorSpace.bt709Limited

    private let settings: Settings
    private let host: PluginHost
    private let schedule: SlideSchedule
    private var slides: [String] = []
    /// The size of an image whose shape all have; nil if they differ.
    private var shape: FrameSize?
    /// The logged messages. A slide that is shown again logs nothing.
    private var told: Set<String> = []
    /// The shown slide: its index in the list, and its number on the schedule.
    private var place = 0
    private var number = 0
    private var shownPath: String?
    private var image = Image(size: FrameSize(width: 1, height: 1))

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
        schedule = SlideSchedule(seconds: settings.seconds)
    }

    func onInitialize(
        supported: [VideoCapability], suggested: VideoCapability
    ) throws -> VideoAnswer {
        let list = try SlideList(path: settings.path)
        slides = list.paths
        shape = list.commonShape
        let answer = answer(to: supported.first ?? suggested, suggested)
        try show(in: answer.size, orFailWith: .badSetting)
        return .counter(answer)
    }

    func onPropertyChange(
        supported: [VideoCapability], suggested: VideoCapability
    ) -> VideoAnswer? { .counter(answer(to: supported.first ?? suggested, suggested)) }

    /// As large as may be in the images' own shape; what is suggested if they differ.
    private func answer(
        to limit: VideoCapability, _ suggested: VideoCapability
    ) -> VideoCapability {
        let size = shape.map { $0.fitted(within: limit.size).evened } ?? suggested.size
        return VideoCapability(size: size, rate: min(schedule.rate, suggested.rate))
    }

    func onStartSend() {
        place = 0
        number = 0
    }

    func fill(_ frame: inout MutableFrame, at time: FrameTime) throws {
        let due = schedule.slide(at: time.seconds)
        place = (place + max(due - number, 0)) % slides.count
        number = due
        try show(in: frame.size)
        for y in 0..<frame.height {
            var row = frame.row(y)
            image.copyRow(y, into: &row)
        }
    }

    func onUninitialized() {
        shownPath = nil
        image = Image(size: FrameSize(width: 1, height: 1))
    }

    /// Decodes the current slide if needed. Removes slides that can't be decoded; when none is
    /// left, the share ends.
    private func show(in size: FrameSize, orFailWith status: Status = .unavailable) throws {
        while shownPath != slides[place] || image.size != size {
            do throws(FileError) {
                let slide = try Image(contentsOf: slides[place], fitting: size)
                for note in slide.notes where told.insert(note).inserted {
                    host.log(.warning, note)
                }
                image = slide.letterboxed(into: size)
                shownPath = slides[place]
            } catch {
                slides.remove(at: place)
                guard !slides.isEmpty else {
                    throw PluginError("\(error)", status: status)
                }
                host.log(.warning, "left out: \(error)")
                place %= slides.count
            }
        }
    }
}

extension FrameSize {
    /// With even sides, which every consumer takes.
    fileprivate var evened: FrameSize {
        FrameSize(width: max(width / 2 * 2, 2), height: max(height / 2 * 2, 2))
    }
}
