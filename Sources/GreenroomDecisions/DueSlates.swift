package import GreenroomModel

/// Slates to show unless the video returns soon, at most one for each track.
package struct DueSlates {
    package struct Slate: Equatable, Sendable {
        package var track: VideoTrackKind
        /// The due time, on the session clock.
        package var due: Int64
        package var text: SlateText
    }

    private var slates: [Slate] = []

    /// The due time of the next slate, on the session clock.
    package var next: Int64? { slates.map(\.due).min() }

    /// Schedules a slate.
    package mutating func announce(_ text: SlateText, on track: VideoTrackKind, at now: Int64) {
        cancel(on: track)
        slates.append(Slate(track: track, due: now + SlateText.delay, text: text))
    }

    /// Schedules a slate for now.
    package mutating func show(_ text: SlateText, on track: VideoTrackKind, at now: Int64) {
        cancel(on: track)
        slates.append(Slate(track: track, due: now, text: text))
    }

    /// Cancels the scheduled slate of a track.
    package mutating func cancel(on track: VideoTrackKind) {
        slates.removeAll { $0.track == track }
    }

    /// Removes and returns the due slates.
    package mutating func take(at now: Int64) -> [Slate] {
        guard !slates.isEmpty else { return [] }
        defer { slates.removeAll { $0.due <= now } }
        return slates.filter { $0.due <= now }
    }
}
