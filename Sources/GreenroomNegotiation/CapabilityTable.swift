package import GreenroomMedia

/// Sizes and rates that a session can take, largest first.
package struct CapabilityTable: Equatable, Sendable {
    /// The rows; a row's rate is the highest at that size.
    package var rows: [VideoCapability]

    /// Makes a table, sorted by area, then by width, largest first.
    package init(_ rows: [VideoCapability]) {
        self.rows = rows.sorted {
            ($0.size.area, $0.size.width) > ($1.size.area, $1.size.width)
        }
    }

    /// The table of the call vendors: 480p is 858x480 and 240p is 352x240.
    ///
    /// Source: Azure Communication Services, "Add raw media access to your app", supported video
    /// resolutions.
    package static let standard = CapabilityTable([
        VideoCapability(width: 1920, height: 1080, fps: 30),
        VideoCapability(width: 1280, height: 720, fps: 30),
        VideoCapability(width: 960, height: 540, fps: 30),
        VideoCapability(width: 858, height: 480, fps: 30),
        VideoCapability(width: 640, height: 360, fps: 30),
        VideoCapability(width: 480, height: 270, fps: 15),
        VideoCapability(width: 352, height: 240, fps: 15),
        VideoCapability(width: 320, height: 180, fps: 15),
        VideoCapability(width: 640, height: 480, fps: 30),
        VideoCapability(width: 424, height: 320, fps: 15),
        VideoCapability(width: 320, height: 240, fps: 15),
        VideoCapability(width: 212, height: 160, fps: 15),
    ])
}
