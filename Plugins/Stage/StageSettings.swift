import GreenroomMedia
import GreenroomPlugin
import StageDecisions
import PluginText

/// The settings of a stage.
struct StageSettings: PluginSettings, Equatable {
    var layout = StageLayout.Kind.grid
    var main = ""
    var inset = ""
    var corner = StageLayout.Corner.bottomRight
    var fit = StageLayout.Fit.auto
    var custom = ""
    var animated = true
    var labels = true
    var captions = false
    var name = ""
    var background = "#181c24"
    var backgroundImage = ""

    static let table: [Setting<Self>] = [
        .choice("layout", \.layout, title: "Arrangement of the tiles", live: true),
        .string(
            "main", \.main,
            title: "The large tile of speaker, share and pip: a track such as camera.desk, or a "
                + "participant's name; empty for the active speaker or the newest share",
            live: true),
        .string(
            "inset", \.inset,
            title: "Track in the small tile of pip; empty: the camera, else the active speaker",
            live: true),
        .choice("corner", \.corner, title: "Corner of the small tile of pip", live: true),
        .choice(
            "fit", \.fit,
            title: "Fit of people in tiles of another shape; auto: whole if taller than the tile, "
                + "otherwise cropped",
            live: true),
        .string(
            "custom", \.custom,
            title: "Places of the layout custom, one line per place: its content, x, y, width and "
                + "height in per cent, then crop, letterbox or stretch",
            live: true),
        .boolean(
            "animated", \.animated, title: "Animate tiles for 300 ms; off: hard cut",
            live: true),
        .boolean("labels", \.labels, title: "Whether tiles have name labels", live: true),
        .boolean("captions", \.captions, title: "Whether captions are shown", live: true),
        .string("name", \.name, title: "The label of the session's own camera", live: true),
        .string("background", \.background, title: "Colour behind the tiles: #rrggbb"),
        .path(
            "background-image", \.backgroundImage,
            title: "PNG or JPEG image behind the tiles; it covers the whole picture"),
    ]

    /// The places of the layout `custom`.
    ///
    /// - Throws: A ``PluginError`` about a place that can't be read.
    func places() throws(PluginError) -> [CustomPlace] {
        do throws(InvalidValueError) {
            return try CustomPlace.places(in: custom)
        } catch {
            throw PluginError("custom: \(error)", status: .badSetting)
        }
    }

    /// The layout. Places that it does not show are not read.
    ///
    /// - Throws: A ``PluginError`` about a place that can't be read.
    func arrangement() throws(PluginError) -> StageLayout {
        let places = layout == .custom ? try places() : []
        guard layout != .custom || !places.isEmpty else {
            throw PluginError(
                "custom: the layout custom has no places. List some, such as: camera 0 0 50 100",
                status: .badSetting)
        }
        return StageLayout(
            layout, main: main, inset: inset, corner: corner, fit: fit, places: places)
    }
}
