/// SHA-256 (FIPS 180-4), to name files by content and to sign the requests of hooks.
///
/// The project implements the hash itself, because a cryptography package would be the host's largest
/// dependency. A shorter or weaker hash would let an attacker make a library with another library's scan
/// result.
package struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
        0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// An incomplete block.
    private var rest: [UInt8] = []
    private var byteCount: UInt64 = 0

    /// Length of a hash, in bytes.
    package static let byteCount = 32
    private static let blockByteCount = 64

    package init() {}

    /// Hashes bytes.
    package static func hash(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// The code that authenticates a message to whoever has the key: HMAC (RFC 2104).
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > blockByteCount ? hash(of: key[...]) : key
        block += [UInt8](repeating: 0, count: blockByteCount - block.count)
        let inner = hash(of: (block.map { $0 ^ 0x36 } + message)[...])
        return hash(of: (block.map { $0 ^ 0x5c } + inner)[...])
    }

    /// Adds bytes.
    package mutating func update(_ bytes: ArraySlice<UInt8>) {
        byteCount &+= UInt64(bytes.count)
        var bytes = bytes
        if !rest.isEmpty {
            let missing = bytes.prefix(Self.blockByteCount - rest.count)
            rest += missing
            bytes = bytes.dropFirst(missing.count)
            guard rest.count == Self.blockByteCount else { return }
            let block = rest
            rest = []
            block.withUnsafeBytes { compress($0) }
        }
        let whole = bytes.count / Self.blockByteCount * Self.blockByteCount
        bytes.prefix(whole).withUnsafeBytes { compress($0) }
        rest += bytes.dropFirst(whole)
    }

    /// Completes the hash.
    ///
    /// - Returns: The hash, ``byteCount`` bytes.
    package consuming func finish() -> [UInt8] {
        let bitCount = byteCount &* 8
        let used = (rest.count + 1 + 8) % Self.blockByteCount
        let zeros = used == 0 ? 0 : Self.blockByteCount - used
        var padding: [UInt8] = [0x80] + Array(repeating: 0, count: zeros)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            padding.append(UInt8(truncatingIfNeeded: bitCount &>> shift))
        }
        update(padding[...])
        return state.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word &>> $0) }
        }
    }

    /// Processes whole blocks.
    ///
    /// Uses pointers, and no closures in its loops, because debug builds also hash megabytes.
    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        guard var block = blocks.baseAddress else { return }
        let end = block + blocks.count
        state.withUnsafeMutableBufferPointer { state in
            Self.constants.withUnsafeBufferPointer { constants in
                withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
                    guard let state = state.baseAddress, let schedule = schedule.baseAddress,
                        let constants = constants.baseAddress
                    else { return }
                    while block < end {
                        Self.compress(block, state, schedule, constants)
                        block += Self.blockByteCount
                    }
                }
            }
        }
    }

    private static func compress(
        _ block: UnsafeRawPointer, _ state: UnsafeMutablePointer<UInt32>,
        _ w: UnsafeMutablePointer<UInt32>, _ k: UnsafePointer<UInt32>
    ) {
        var t = 0
        while t < 16 {
            w[t] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: t &* 4, as: UInt32.self))
            t &+= 1
        }
        while t < 64 {
            let (x, y) = (w[t &- 15], w[t &- 2])
            let small0 = (x &>> 7 | x &<< 25) ^ (x &>> 18 | x &<< 14) ^ (x &>> 3)
            let small1 = (y &>> 17 | y &<< 15) ^ (y &>> 19 | y &<< 13) ^ (y &>> 10)
            w[t] = w[t &- 16] &+ small0 &+ w[t &- 7] &+ small1
            t &+= 1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        t = 0
        while t < 64 {
            let large1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
            let chosen = (e & f) ^ (~e & g)
            let first = h &+ large1 &+ chosen &+ k[t] &+ w[t]
            let large0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            h = g
            g = f
            f = e
            e = d &+ first
            d = c
            c = b
            b = a
            a = first &+ large0 &+ majority
            t &+= 1
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5,
        0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3,
        0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc,
        0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
        0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13,
        0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3,
        0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5,
        0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208,
        0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

extension [UInt8] {
    /// Each byte as two hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
