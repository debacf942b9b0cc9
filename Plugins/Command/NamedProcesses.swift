import Glibc
import GreenroomPlugin
import Synchronization

/// The commands whose standard output is a microphone, by the setting `process`.
///
/// The output and the microphone are two plugins of this library in one process.
enum NamedProcesses {
    /// The standard output of each; nil while no command runs.
    private static let outputs = Mutex<[String: Int32?]>([:])

    /// Reserves a name for an output.
    ///
    /// - Throws: ``PluginError`` if another output has it.
    static func claim(_ name: String) throws {
        let isFree = outputs.withLock { outputs in
            guard outputs[name] == nil else { return false }
            outputs.updateValue(nil, forKey: name)
            return true
        }
        guard isFree else {
            throw PluginError(
                "process: another output has the name \(name); choose another", status: .badSetting)
        }
    }

    /// Ends the claim.
    static func release(_ name: String) {
        set(nil, of: name)
        outputs.withLock { _ = $0.removeValue(forKey: name) }
    }

    /// Offers the standard output of a command that runs.
    ///
    /// - Parameter descriptor: It is duplicated; nil if the command has ended.
    static func set(_ descriptor: Int32?, of name: String) {
        let copy = descriptor.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }.flatMap { $0 < 0 ? nil : $0 }
        let former = outputs.withLock { $0.updateValue(copy, forKey: name) ?? nil }
        if let former { close(former) }
    }

    /// Reads what a command has written. Does not wait.
    ///
    /// - Returns: The number of bytes.
    static func read(_ name: String, into bytes: UnsafeMutableRawBufferPointer) -> Int {
        outputs.withLock { outputs in
            guard let descriptor = outputs[name] ?? nil else { return 0 }
            return max(Glibc.read(descriptor, bytes.baseAddress, bytes.count), 0)
        }
    }
}

/// The samples of a named process, and silence while it writes nothing.
struct ProcessVoice: Sendable {
    private let name: String
    /// The bytes of a block, and the number of bytes left over from a sample that a read has cut in two.
    private var bytes: [UInt8] = []
    private var rest = 0

    init(of name: String) {
        self.name = name
        // Drop samples from before the start, because they have no place in time.
        bytes = [UInt8](repeating: 0, count: 4096)
        while read(to: bytes.count) > 0 {}
    }

    /// Fills a block, which is silent.
    mutating func fill(_ samples: inout MutableSpan<Int16>) {
        let needed = samples.count * 2
        if bytes.count < needed { bytes += [UInt8](repeating: 0, count: needed - bytes.count) }
        let count = rest + read(to: needed)
        for index in 0..<count / 2 {
            samples[index] = Int16(
                bitPattern: UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8)
        }
        rest = count % 2
        if rest == 1 { bytes[0] = bytes[count - 1] }
    }

    private mutating func read(to end: Int) -> Int {
        let (name, begin) = (name, rest)
        return bytes.withUnsafeMutableBytes {
            NamedProcesses.read(
                name, into: UnsafeMutableRawBufferPointer(rebasing: $0[begin..<end]))
        }
    }
}
