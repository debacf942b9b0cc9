import GreenroomModel
import CLinux
import Glibc
import GreenroomSystem
import Synchronization

/// The journal of systemd, where events become entries with fields (systemd.journal-fields(7)).
///
/// Entries are datagrams of lines `FIELD=value`, as systemd's "Native Journal Protocol" describes
/// them. Writing never waits. If the journal has no room, the entry is dropped and counted, and a
/// later entry reports the number.
final class Journal: Sendable {
    /// The socket of the machine's journal.
    static let path = "/run/systemd/journal/socket"

    /// Limit of an entry's text, in bytes. Longer texts are cut.
    private static let longestText = 32 * 1024

    private let session: String
    private let descriptor: Int32
    /// The number of entries dropped since the last written entry.
    private let lost = Mutex(0)

    /// Connects to the journal if standard error leads there. In that case `JOURNAL_STREAM`
    /// contains its device and inode (systemd.exec(5)).
    ///
    /// - Parameter session: The session's name and process, for the field `GREENROOM_SESSION`.
    init?(session: String) {
        var about = stat()
        guard let stream = environmentVariable("JOURNAL_STREAM"),
            fstat(STDERR_FILENO, &about) == 0, stream == "\(about.st_dev):\(about.st_ino)"
        else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Self.path.utf8) }
        let isConnected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        self.session = session
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Writes an event, one entry for each line of its text. [any]
    func add(_ record: EventRecord, text: String) {
        lost.withLock { lost in
            if lost > 0 {
                let notice = entry(.leftOut(lost), EventRecord.leftOutText(lost))
                guard send(notice) else {
                    lost += 1
                    return
                }
                lost = 0
            }
            for line in text.split(whereSeparator: \.isNewline) where !send(entry(record, line)) {
                lost += 1
            }
        }
    }

    private func entry(_ record: EventRecord, _ line: some StringProtocol) -> [UInt8] {
        let fields = [
            ("PRIORITY", "\((record.level ?? record.event.facts.level).priority)"),
            ("SYSLOG_IDENTIFIER", "greenroom"), ("GREENROOM_SESSION", session),
            ("GREENROOM_EVENT", record.event.rawValue), ("GREENROOM_ROLE", record.role),
            ("GREENROOM_STEP", record.step), ("GREENROOM_STATUS", record.status),
            ("GREENROOM_ORIGIN", record.origin), ("GREENROOM_OUTPUT", record.output),
            ("GREENROOM_OUTCOME", record.outcome),
        ]
        var bytes: [UInt8] = []
        for (name, value) in fields {
            guard let value else { continue }
            bytes += "\(name)=".utf8
            // Replace line breaks, so that a plugin's text cannot begin another field.
            bytes += value.utf8.lazy.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
            bytes.append(UInt8(ascii: "\n"))
        }
        bytes += "MESSAGE=".utf8
        bytes += line.utf8.prefix(Self.longestText)
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private func send(_ entry: [UInt8]) -> Bool {
        Glibc.send(descriptor, entry, entry.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) >= 0
    }
}

extension LogLevel {
    /// The level's priority for syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .debug: 7
        case .info: 6
        case .warning: 4
        case .error: 3
        }
    }
}
