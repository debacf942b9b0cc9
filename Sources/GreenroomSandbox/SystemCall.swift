/// A system call, perhaps with some arguments only.
package struct SystemCall: Sendable, ExpressibleByStringLiteral {
    /// What an argument must be.
    package struct Condition: Sendable {
        /// Which argument, from 0.
        package var argument: UInt32
        /// The bits of it that count.
        package var mask: UInt64
        /// What they must be.
        package var value: UInt64
    }

    /// Its name on Linux. It need not exist on every architecture.
    package var name: String
    /// What must hold for its arguments, all of it.
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
    /// An argument of 32 bits is a value; the kernel does not look at the upper half.
    static func argument(_ index: UInt32, is value: Int32) -> Self {
        Self(argument: index, mask: 0xffff_ffff, value: UInt64(UInt32(bitPattern: value)))
    }

    /// An argument has, of some of its bits, these.
    static func argument(_ index: UInt32, masked mask: UInt64, is value: UInt64) -> Self {
        Self(argument: index, mask: mask, value: value)
    }
}
