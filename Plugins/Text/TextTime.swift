import Glibc
import GreenroomPlugin

/// A time of day and a date.
struct WallTime: Equatable {
    /// Seconds since 1970, rounded down.
    var seconds: Int64
    /// Whether the seconds count in local time: a declared start does.
    var isLocal: Bool

    /// The machine's time.
    static var now: WallTime {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return WallTime(seconds: Int64(now.tv_sec), isLocal: false)
    }

    init(seconds: Int64, isLocal: Bool) {
        self.seconds = seconds
        self.isLocal = isLocal
    }

    /// Reads `2026-01-31T09:00:00`, in local time.
    init?(_ text: String) {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let date = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        let time = parts[1].split(separator: ":", omittingEmptySubsequences: false)
        let numbers = (date + time).compactMap { part in
            part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
                ? Int32(part) : nil
        }
        guard date.count == 3, time.count == 3, numbers.count == 6,
            1970...9999 ~= numbers[0], 1...12 ~= numbers[1], 1...31 ~= numbers[2],
            0...23 ~= numbers[3], 0...59 ~= numbers[4], 0...59 ~= numbers[5]
        else { return nil }
        var fields = tm()
        fields.tm_year = numbers[0] - 1900
        fields.tm_mon = numbers[1] - 1
        fields.tm_mday = numbers[2]
        fields.tm_hour = numbers[3]
        fields.tm_min = numbers[4]
        fields.tm_sec = numbers[5]
        seconds = Int64(timegm(&fields))
        isLocal = true
    }

    /// The time in the letters of strftime; at most 255 bytes.
    func formatted(_ format: String) -> String {
        var seconds = time_t(self.seconds)
        var fields = tm()
        if isLocal { gmtime_r(&seconds, &fields) } else { localtime_r(&seconds, &fields) }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            let length = strftime(start, buffer.count, format, &fields)
            return String(
                decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
        }
    }
}

/// The time that a clock or counter shows. It changes once a second.
struct TextTime: Equatable {
    /// Seconds: of the day's time, or the counter's.
    var seconds: Int64
    private var wall: WallTime?

    /// The time of a clock.
    ///
    /// - Parameters:
    ///   - start: Its time at the first frame; nil for the machine's.
    ///   - elapsed: Nanoseconds since the first frame.
    ///   - now: The machine's time.
    init(clockFrom start: WallTime?, elapsed: Int64, now: @autoclosure () -> WallTime) {
        var wall = start ?? now()
        if start != nil { wall.seconds += elapsed / 1_000_000_000 }
        self.wall = wall
        seconds = wall.seconds
    }

    /// The time of a counter.
    ///
    /// - Parameters:
    ///   - start: The start of the countdown, in seconds; 0 to count up.
    ///   - elapsed: Nanoseconds since the first frame.
    init(counterFrom start: Int, elapsed: Int64) {
        let elapsed = elapsed / 1_000_000_000
        seconds = start > 0 ? max(Int64(start) - elapsed, 0) : elapsed
    }

    /// The time as text.
    func formatted(_ format: String) -> String {
        if let wall { return wall.formatted(format) }
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let rest = "\(two(seconds / 60 % 60)):\(two(seconds % 60))"
        return seconds < 3600 ? rest : "\(seconds / 3600):\(rest)"
    }
}
