import Glibc
public import Testing

/// What `Tests/nightly.sh` adds to the tests: long runs.
///
/// By day, a matrix test covers each value of each axis; at night, each combination.
public enum Nightly {
    /// Whether the tests run at night: `GREENROOM_NIGHTLY` is set.
    public static let isOn = getenv("GREENROOM_NIGHTLY") != nil

    /// A value for the night, and a cheaper one for the day.
    public static func value<Value>(_ night: Value, byDay day: Value) -> Value {
        isOn ? night : day
    }

    /// At night every combination of two lists; by day each value with one of the other list, in
    /// turn.
    public static func pairs<First, Second>(
        _ first: [First], _ second: [Second]
    ) -> [(First, Second)] {
        if isOn { return first.flatMap { one in second.map { (one, $0) } } }
        return (0..<max(first.count, second.count)).map {
            (first[$0 % first.count], second[$0 % second.count])
        }
    }

    /// At night a whole list; by day the values that satisfy a condition.
    public static func list<Value>(
        _ all: [Value], byDay isKept: (Value) throws -> Bool
    ) rethrows -> [Value] {
        isOn ? all : try all.filter(isKept)
    }
}

extension Trait where Self == ConditionTrait {
    /// For what `Tests/nightly.sh` alone runs: costs, statistics, browsers, devices, compilers, long runs.
    public static var nightly: Self { .enabled(if: Nightly.isOn) }
}
