/// A system call, with conditions on its arguments.
package struct SystemCall: Sendable, ExpressibleByStringLiteral {
    /// A condition on an argument.
    package struct Condition: Sendable {
        /// The argument's index, from 0.
        package var argument: UInt32
        /// The bits to compare.
        package var mask: UInt64
        /// The required value of the masked bits.
        package var value: UInt64
    }

    /// The call's name in Linux. Some architectures may lack the call.
    package var name: String
    /// The conditions, all of which must hold.
    package var conditions: [Condition]

    package init(stringLiteral name: String) {
        self.name = name
        conditions = []
    }

    init(_ name: String, _ conditions: Condition...) {
        self.name = name
        self.conditions = conditions
    }
}

extension SystemCall.Condition {
    /// Requires a 32-bit argument to have this value; the kernel ignores the upper half.
    static func argument(_ index: UInt32, is value: Int32) -> Self {
        Self(argument: index, mask: 0xffff_ffff, value: UInt64(UInt32(bitPattern: value)))
    }

    /// Requires the masked bits of an argument to have this value.
    static func argument(_ index: UInt32, masked mask: UInt64, is value: UInt64) -> Self {
        Self(argument: index, mask: mask, value: value)
    }
}
