import PluginImages
import GreenroomPlugin

/// The purpose of a text.
enum Template: String, CaseIterable {
    /// A text that does not change.
    case plain
    /// The time of day.
    case clock
    /// The time since the start, or until the end of a countdown.
    case counter
    /// A name, and a line below it.
    case lowerThird = "lower-third"
    /// A line that moves through the picture.
    case ticker

    /// Whether its text has the time in it.
    var showsTime: Bool { self == .clock || self == .counter }
}

/// The settings of a text, over a video or as a share.
struct TextSettings: PluginSettings, Equatable {
    var template = Template.plain
    var text = ""
    var subtitle = ""
    var font = "Sans"
    var size = 0.06
    var color = "#ffffff"
    var background = "#000000a0"
    var position = OverlayPosition.bottom
    var margin = 0.04
    var opacity = 1.0
    var speed = 0.1
    var timeFormat = "%H:%M:%S"
    var clockStart = ""
    var countFrom = 0

    static let table: [Setting<Self>] = [
        .choice("template", \.template, title: "The kind of text"),
        .string(
            "text", \.text,
            title: "Text; {time} is the time of a clock or counter; without text only the time",
            live: true),
        .string("subtitle", \.subtitle, title: "Second line of a lower third", live: true),
        .string("font", \.font, title: "Font families and style", live: true),
        .number(
            "size", \.size, in: 0.01...1, title: "Size of the font as a part of the frame's height",
            live: true),
        .string("color", \.color, title: "Colour of the text: #rrggbb or #rrggbbaa", live: true),
        .string(
            "background", \.background,
            title: "Background colour of the text's box, or of the whole share", live: true),
        .choice("position", \.position, title: "Position of the text", live: true),
        .number(
            "margin", \.margin, in: 0...0.5,
            title: "Distance from the edges as a part of the frame's height", live: true),
        .number("opacity", \.opacity, in: 0...1, live: true),
        .number(
            "speed", \.speed, in: 0.01...2, title: "Speed of a ticker",
            unit: "widths per second", live: true),
        .string(
            "time-format", \.timeFormat, title: "Format of a clock's time, as in strftime",
            live: true),
        .string(
            "clock-start", \.clockStart,
            title: "Time of a clock at the first frame, 2026-01-31T09:00:00; empty: now"),
        .integer(
            "count-from", \.countFrom, in: 0...359_999,
            title: "Seconds that a counter counts down; 0 to count up", unit: "s", live: true),
    ]
}
