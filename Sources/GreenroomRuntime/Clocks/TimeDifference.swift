/// Returns the time from another time to a time; saturates.
package func difference(_ one: Int64, _ other: Int64) -> Int64 {
    let (difference, overflow) = one.subtractingReportingOverflow(other)
    return overflow ? (one < other ? .min : .max) : difference
}
