/// An FNV-1a hash of words. Different digests mean different contents.
package struct ContentDigest: Equatable, Sendable {
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package mutating func add(_ word: UInt64) { value = (value ^ word) &* 0x100_0000_01b3 }
}
