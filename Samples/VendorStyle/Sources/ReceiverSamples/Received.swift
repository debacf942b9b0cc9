import AppleMediaStyle

/// The results of a sample: events in their order, and numbers by name.
final class Received: @unchecked Sendable {
    private let lock = NSLock()
    private var log: [String] = []
    private var numbers: [String: Int] = [:]

    var events: [String] { lock.withLock { log } }
    subscript(name: String) -> Int { lock.withLock { numbers[name] ?? 0 } }

    func tell(_ event: String) { lock.withLock { log.append(event) } }
    func add(_ count: Int, to name: String) { lock.withLock { numbers[name, default: 0] += count } }
    func set(_ name: String, to value: Int) { lock.withLock { numbers[name] = value } }
    /// Logs everything.
    func report() {
        let numbers = lock.withLock { self.numbers }.sorted { $0.key < $1.key }
        os_log(
            "\(events.joined(separator: ", ")); \(numbers.map { "\($0): \($1)" }.joined(separator: ", "))"
        )
    }

    func clear() { lock.withLock { (log, numbers) = ([], [:]) } }
}
