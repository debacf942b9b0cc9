/// A first-in first-out queue of fixed capacity that never allocates.
struct Ring<let capacity: Int, Element: ~Copyable>: ~Copyable {
    private var slots: InlineArray<capacity, Element?>
    private var head = 0
    private(set) var count = 0

    init() {
        slots = InlineArray { _ in nil }
    }

    var isFull: Bool { count == capacity }

    /// Appends an element, or hands it back if there is no room.
    mutating func append(_ element: consuming Element) -> Element? {
        guard !isFull else { return element }
        slots[(head + count) % capacity] = consume element
        count += 1
        return nil
    }

    /// Looks at the oldest element; nil if there is none.
    func first<Result>(_ body: (borrowing Element) -> Result) -> Result? {
        guard count > 0 else { return nil }
        switch slots[head] {
        case .some(let element): return body(element)
        case .none: return nil
        }
    }

    /// Takes out the oldest element.
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) % capacity
        count -= 1
        return element
    }
}

extension Ring: Sendable where Element: Sendable & ~Copyable {}
