import CPango
package import GreenroomPlugin

/// A colour with alpha, each component 0 to 255; not premultiplied.
package struct Color: Equatable, Sendable {
    package var red: UInt8
    package var green: UInt8
    package var blue: UInt8
    package var alpha: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// Reads `#rrggbb` or `#rrggbbaa`.
    package init?(_ text: String) {
        let digits = text.utf8.dropFirst().compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == text.utf8.count - 1,
            digits.count == 6 || digits.count == 8
        else { return nil }
        func byte(_ index: Int) -> UInt8 { UInt8(digits[index] * 16 + digits[index + 1]) }
        self.init(
            red: byte(0), green: byte(2), blue: byte(4), alpha: digits.count == 8 ? byte(6) : 255)
    }

    /// Reads the value of a setting.
    ///
    /// - Parameter hasAlpha: Whether it may have alpha.
    package init(
        _ text: String, of setting: String, hasAlpha: Bool = true
    ) throws(PluginError) {
        guard let color = Color(text), hasAlpha || text.utf8.count == "#rrggbb".utf8.count else {
            throw PluginError(
                "\(setting): \"\(text)\" is not a colour; write #rrggbb"
                    + (hasAlpha ? " or #rrggbbaa" : ""), status: .badSetting)
        }
        self = color
    }

    var components: greenroom_rgba {
        greenroom_rgba(
            red: Double(red) / 255, green: Double(green) / 255, blue: Double(blue) / 255,
            alpha: Double(alpha) / 255)
    }
}
