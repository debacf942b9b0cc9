/// The key of an X display, from the file that `xauth` writes.
package enum DisplayKey {
    private static let kind = "MIT-MAGIC-COOKIE-1"
    private static let local: UInt16 = 256
    private static let anyHost: UInt16 = 65535

    /// Finds the key of a display of this machine.
    ///
    /// - Parameters:
    /// - file: The file's bytes. Bytes after a damaged entry are ignored.
    ///   - number: The display's number.
    ///   - host: This machine's name.
    /// - Returns: The key; nil if the file has none.
    package static func find(
        in file: [UInt8], display number: UInt32, host: String
    ) -> [UInt8]? {
        var rest = file[...]
        while let family = word(&rest), let address = text(&rest), let display = text(&rest),
            let name = text(&rest), let key = text(&rest)
        {
            let isHere =
                family == anyHost || (family == local && address.elementsEqual(host.utf8))
            let isDisplay = display.isEmpty || display.elementsEqual("\(number)".utf8)
            if isHere, isDisplay, name.elementsEqual(kind.utf8) { return Array(key) }
        }
        return nil
    }

    private static func word(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        guard let high = rest.popFirst(), let low = rest.popFirst() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = word(&rest), rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}
