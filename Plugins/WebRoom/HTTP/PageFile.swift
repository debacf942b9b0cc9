/// The files of the page.
struct PageFile {
    let bytes: [UInt8]
    let type: String

    /// - Parameter path: Its path; nil for no such file.
    init?(path: [String]) {
        switch path {
        case []: (bytes, type) = (PackageResources.room_html, "text/html")
        case ["room.css"]: (bytes, type) = (PackageResources.room_css, "text/css")
        case ["room.js"]: (bytes, type) = (PackageResources.room_js, "text/javascript")
        case ["control.css"]: (bytes, type) = (PackageResources.control_css, "text/css")
        case ["control.js"]: (bytes, type) = (PackageResources.control_js, "text/javascript")
        case ["icon.svg"]: (bytes, type) = (PackageResources.icon_svg, "image/svg+xml")
        default: return nil
        }
    }
}
