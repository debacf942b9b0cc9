import Glibc

/// A plugin's call of a function of the host: the arguments as the plugin passed them, unchecked.
///
/// Public for other modules to specialize what reads values.
public struct HostCall {
    package let function: HostFunction
    /// The instance or the sender.
    package var handle: UInt64
    /// The numbers among the arguments, in order.
    package var numbers: (UInt64, UInt64, UInt64)
    /// The address of the text, or of the buffer for a text; 0 for NULL.
    package var textAddress: UInt
    /// The address of the struct or number; 0 for NULL. The header mostly forbids NULL, but a plugin
    /// may pass it.
    @usableFromInline package var valueAddress: UInt

    package init(
        _ function: HostFunction, _ handle: UInt64, _ first: UInt64 = 0, _ second: UInt64 = 0,
        _ third: UInt64 = 0, text: UInt = 0, value: UInt = 0
    ) {
        self.function = function
        self.handle = handle
        numbers = (first, second, third)
        textAddress = text
        valueAddress = value
    }

    package var text: UnsafePointer<CChar>? { UnsafePointer(bitPattern: textAddress) }

    /// Whether the text is one of the texts.
    package func names(oneOf texts: [String]) -> Bool {
        text.map { text in texts.contains { strcmp($0, text) == 0 } } ?? false
    }

    @inlinable package func value<Value>(
        of _: Value.Type = Value.self
    ) -> UnsafeMutablePointer<Value>? {
        UnsafeMutablePointer(bitPattern: valueAddress)
    }

    /// A copy of a struct that begins with its size; nil for NULL or a struct that is too small.
    @inlinable package func copy<Struct: BitwiseCopyable>(of _: Struct.Type) -> Struct? {
        guard let value = UnsafeRawPointer(bitPattern: valueAddress),
            value.loadUnaligned(as: UInt32.self) >= UInt32(MemoryLayout<Struct>.size)
        else { return nil }
        return value.loadUnaligned(as: Struct.self)
    }
}
