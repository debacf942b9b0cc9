/// How long after another time a time is; saturates.
package func difference(_ one: Int64, _ other: Int64) -> Int64 {
    let (difference, overflow) = one.subtractingReportingOverflow(other)
    return overflow ? (one < other ? .min : .max) : difference
}
