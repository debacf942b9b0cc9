import GreenroomHost
import Synchronization

/// Reports once that a command scans many libraries, which takes seconds.
final class ScanNotice: Sendable {
    private static let many = 10

    private let count = Mutex(0)

    func willScan(_ path: String) {
        let isMany = count.withLock { count in
            count += 1
            return count == Self.many
        }
        guard isMany else { return }
        Console.write("scanning plugins and effects; the next list is faster", to: .errors)
    }
}

extension Installation {
    /// A locator for a command that scans all plugins and effects.
    func locatorOfAll(rescans: Bool = false) -> PluginLocator {
        locator(rescans: rescans, willScan: ScanNotice().willScan)
    }
}
