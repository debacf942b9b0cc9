package import GreenroomABI
import GreenroomMedia

extension [PluginSetting] {
    /// Passes the settings as C structs to a body. The pointers are valid only during the call.
    package func withABI<Result>(_ body: (UnsafeBufferPointer<gr_setting>) -> Result) -> Result {
        // All texts share one block, so that an added text moves no pointer.
        var texts: [UInt8] = []
        func add(_ text: String) -> Int {
            defer {
                texts.append(contentsOf: text.utf8.filter { $0 != 0 })
                texts.append(0)
            }
            return texts.count
        }
        let names = map { add($0.name) }
        let strings = map { setting -> Int? in
            if case .string(let text) = setting.value { add(text) } else { nil }
        }
        return texts.withUnsafeBytes { texts in
            let base = texts.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
            let written = indices.map { index in
                var value = gr_value()
                value.type = self[index].type.rawValue
                switch self[index].value {
                case .boolean(let flag): value.integer = flag ? 1 : 0
                case .integer(let number): value.integer = number
                case .number(let number): value.number = number
                case .string:
                    value.string = strings[index].map {
                        (base + $0).assumingMemoryBound(to: CChar.self)
                    }
                }
                return gr_setting(
                    name: (base + names[index]).assumingMemoryBound(to: CChar.self), value: value)
            }
            return written.withUnsafeBufferPointer(body)
        }
    }
}
