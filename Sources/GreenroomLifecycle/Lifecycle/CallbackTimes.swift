/// The duration of a callback's calls.
package struct CallbackTimes: Equatable, Sendable, Codable {
    /// The number of calls that returned.
    package private(set) var calls = 0
    /// Total duration, in nanoseconds.
    package private(set) var totalNanoseconds: Int64 = 0
    /// The longest duration, in nanoseconds.
    package private(set) var longestNanoseconds: Int64 = 0

    static func + (left: CallbackTimes, right: CallbackTimes) -> CallbackTimes {
        CallbackTimes(
            calls: left.calls + right.calls,
            totalNanoseconds: left.totalNanoseconds + right.totalNanoseconds,
            longestNanoseconds: max(left.longestNanoseconds, right.longestNanoseconds))
    }

    mutating func add(nanoseconds: Int64) {
        calls += 1
        totalNanoseconds += nanoseconds
        longestNanoseconds = max(longestNanoseconds, nanoseconds)
    }
}
