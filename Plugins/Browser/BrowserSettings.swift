import GreenroomMedia
import BrowserDecisions
import GreenroomPlugin

/// The settings of all three plugins.
struct BrowserSettings: PluginSettings, Equatable {
    var page = ""
    var url = ""
    var width = 0
    var height = 0
    var zoom = 1.0
    var css = ""
    var script = ""
    var reload = 0
    var network = false
    var speaker = ""
    var name = ""

    static let table: [Setting<Self>] = [
        .path("page", \.page, title: "HTML file to show", live: true),
        .resource("url", \.url, title: "URL of the page to show, instead of a file", live: true),
        .integer(
            "width", \.width, in: 0...PageGeometry.longestSide,
            title: "Width that the page is made for; 0: the video's", unit: "px", live: true),
        .integer(
            "height", \.height, in: 0...PageGeometry.longestSide,
            title: "Height of the page's viewport; 0: the video's height", unit: "px", live: true),
        .number(
            "zoom", \.zoom, in: 0.1...10, title: "Zoom of the page's content", live: true
        ),
        .string("css", \.css, title: "Style sheet that is added to the page", live: true),
        .string(
            "script", \.script,
            title: "JavaScript to run after each page load, and after each change of this setting",
            live: true
        ),
        .integer(
            "reload", \.reload, title: "Reloads the page whenever this number changes", live: true),
        .boolean("network", \.network, title: "Whether the page may use the network"),
        .resource(
            "speaker", \.speaker,
            title: "Loudspeaker of PipeWire that the page plays to; empty: the page is muted"),
        .string(
            "name", \.name,
            title: "Name that connects a microphone and an output Browser to this page"),
    ]

    /// - Throws: ``PluginError`` with the fix.
    func address() throws(PluginError) -> BrowserAddress {
        do throws(InvalidValueError) {
            return try BrowserAddress(page: page, url: url, isNetworkGranted: network)
        } catch {
            throw PluginError(error.description, status: .badSetting)
        }
    }
}
