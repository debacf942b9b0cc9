// What plugins may keep for ever: allocated once, never freed.

/// Puts a value where it stays for as long as the process lives.
package func leaked<Value>(_ value: Value) -> UnsafePointer<Value> {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    memory.initialize(to: value)
    return UnsafePointer(memory)
}

/// Puts a text where it stays for as long as the process lives.
package func leakedText(_ text: String) -> UnsafePointer<CChar> {
    let bytes = text.utf8CString
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { memory[index] = byte }
    return UnsafePointer(memory)
}
