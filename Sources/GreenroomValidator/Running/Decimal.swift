/// A number as text with this number of decimals.
package func decimal(_ number: Double, _ places: Int) -> String {
    guard number.isFinite, abs(number) < 1e12 else { return "\(number)" }
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    let scaled = Int((abs(number) * Double(scale)).rounded())
    let fraction = String(scaled % scale)
    let whole = "\(number < 0 && scaled > 0 ? "-" : "")\(scaled / scale)"
    guard places > 0 else { return whole }
    return whole + "." + String(repeating: "0", count: places - fraction.count) + fraction
}

/// A ratio as per cent with one decimal.
func percent(_ part: Double) -> String { "\((part * 1000).rounded() / 10) %" }
