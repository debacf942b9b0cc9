/// A first-in first-out queue of fixed capacity that never allocates.
public struct Ring<let capacity: Int, Element: ~Copyable>: ~Copyable {
    @usableFromInline var slots: InlineArray<capacity, Element?>
    @usableFromInline var head = 0
    @usableFromInline var used = 0

    @inlinable package var count: Int { used }

    @inlinable
    package init() {
        slots = InlineArray { _ in nil }
    }

    @inlinable package var isFull: Bool { used == capacity }

    /// Appends an element; returns it if the ring is full.
    @inlinable
    package mutating func append(_ element: consuming Element) -> Element? {
        guard !isFull else { return element }
        slots[(head + used) % capacity] = consume element
        used += 1
        return nil
    }

    /// Reads the oldest element; nil if the ring is empty.
    @inlinable
    package func first<Result>(_ body: (borrowing Element) -> Result) -> Result? {
        guard used > 0 else { return nil }
        switch slots[head] {
        case .some(let element): return body(element)
        case .none: return nil
        }
    }

    /// Removes the oldest element.
    @inlinable
    package mutating func popFirst() -> Element? {
        guard used > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) % capacity
        used -= 1
        return element
    }
}

extension Ring: Sendable where Element: Sendable & ~Copyable {}
