/// The newest packets of a recording, from which a file can begin at any time.
package struct ReplayBuffer<Content> {
    package struct Entry {
        package var content: Content
        package var stream: Int
        /// The start of the packet, in nanoseconds.
        package var start: Int64
        package var byteCount: Int
        /// Whether a decoder can begin here: each packet of audio, and key frames of video.
        package var isKey: Bool

        package init(
            _ content: Content, stream: Int, start: Int64, byteCount: Int, isKey: Bool
        ) {
            (self.content, self.stream, self.start) = (content, stream, start)
            (self.byteCount, self.isKey) = (byteCount, isKey)
        }
    }

    private let nanoseconds: Int64
    private let mostBytes: Int
    private let videoStreams: Set<Int>
    package private(set) var entries: [Entry] = []
    package private(set) var byteCount = 0

    /// - Parameters:
    ///   - nanoseconds: The time to keep. A little more is kept, back to a key frame.
    ///   - mostBytes: The limit of bytes, above which less time is kept.
    package init(nanoseconds: Int64, mostBytes: Int, videoStreams: Set<Int>) {
        (self.nanoseconds, self.mostBytes) = (nanoseconds, mostBytes)
        self.videoStreams = videoStreams
    }

    /// Adds a packet. The packets of a stream come in the order of their times.
    package mutating func add(_ entry: Entry) {
        entries.append(entry)
        byteCount += entry.byteCount
    }

    /// The times of the oldest and the newest packet; nil without any.
    package var times: (first: Int64, last: Int64)? {
        guard let first = entries.map(\.start).min(), let last = entries.map(\.start).max() else {
            return nil
        }
        return (first, last)
    }

    /// Forgets what is too old.
    package mutating func drop() {
        guard let last = times?.last else { return }
        var start = last - nanoseconds
        drop(before: start)
        while byteCount > mostBytes, start < last {
            start += max((last - start) / 8, 1)
            drop(before: start)
        }
    }

    /// Keeps what a file needs that has all media from a time on.
    private mutating func drop(before start: Int64) {
        // Each track of video begins with its last key frame before that time.
        var begins: [Int: Int64] = [:]
        for entry in entries where videoStreams.contains(entry.stream) && entry.isKey {
            if entry.start <= start || begins[entry.stream] == nil {
                begins[entry.stream] = entry.start
            }
        }
        let first = begins.values.min().map { min($0, start) } ?? start
        entries.removeAll { entry in
            // Without a key frame nothing can be shown.
            let begin = videoStreams.contains(entry.stream) ? begins[entry.stream] ?? .max : first
            guard entry.start < begin else { return false }
            byteCount -= entry.byteCount
            return true
        }
    }
}

extension ReplayBuffer: Sendable where Content: Sendable {}
extension ReplayBuffer.Entry: Sendable where Content: Sendable {}
