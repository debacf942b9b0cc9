/// Serialises values one after another, in the machine's byte order.
package struct WireWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        write(numbers: value)
    }

    /// Writes a value whose members are all numbers.
    package mutating func write<Value: BitwiseCopyable>(numbers value: Value) {
        withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
    }

    /// Appends the bytes of another writer.
    package mutating func append(_ bytes: [UInt8]) { self.bytes += bytes }

    package mutating func write(_ value: Bool) { write(UInt8(value ? 1 : 0)) }
    package mutating func write(_ value: Double) { write(value.bitPattern) }

    package mutating func write(_ text: String) {
        write(UInt32(clamping: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func write<Value>(
        _ values: [Value], _ write: (inout WireWriter, Value) -> Void
    ) {
        self.write(UInt32(clamping: values.count))
        for value in values { write(&self, value) }
    }

    package mutating func write<Value>(
        _ value: Value?, _ write: (inout WireWriter, Value) -> Void
    ) {
        self.write(value != nil)
        if let value { write(&self, value) }
    }

    /// Copies the bytes into a channel's message.
    ///
    /// - Returns: The message's length; nil if the bytes do not fit.
    package func put(into channel: Channel) -> Int? {
        guard bytes.count <= Channels.messageByteCount else { return nil }
        channel.message.copyBytes(from: bytes)
        return bytes.count
    }
}

/// The bytes of a message are invalid.
package struct WireError: Error {
    package init() {}
}

/// Reads the values of a ``WireWriter``, and checks each: the bytes may come from a plugin.
package struct WireReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Copies a channel's message.
    package init(_ channel: Channel, length: Int) {
        self.init(Array(UnsafeRawBufferPointer(channel.message).prefix(length)))
    }

    /// The bytes that have not been read yet.
    package var remaining: [UInt8] { Array(rest) }

    package mutating func read<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type = Value.self
    ) throws(WireError) -> Value { try readNumbers() }

    /// Reads a value whose members are all numbers.
    package mutating func readNumbers<Value: BitwiseCopyable>(
        _ type: Value.Type = Value.self
    ) throws(WireError) -> Value {
        let count = MemoryLayout<Value>.size
        guard rest.count >= count else { throw WireError() }
        let value = rest.prefix(count).withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
        rest = rest.dropFirst(count)
        return value
    }

    package mutating func readBool() throws(WireError) -> Bool { try read(UInt8.self) != 0 }

    package mutating func readDouble() throws(WireError) -> Double {
        Double(bitPattern: try read())
    }

    package mutating func readString() throws(WireError) -> String {
        let count = Int(try read(UInt32.self))
        guard rest.count >= count,
            let text = String(validating: rest.prefix(count), as: UTF8.self)
        else { throw WireError() }
        rest = rest.dropFirst(count)
        return text
    }

    /// - Parameter limit: A larger count is invalid.
    package mutating func readArray<Value>(
        limit: Int, _ read: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> [Value] {
        let count = Int(try self.read(UInt32.self))
        guard count <= limit else { throw WireError() }
        var values: [Value] = []
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }

    package mutating func readOptional<Value>(
        _ read: (inout WireReader) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        try readBool() ? try read(&self) : nil
    }
}
