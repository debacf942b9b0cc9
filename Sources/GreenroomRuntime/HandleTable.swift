public import Synchronization

/// Objects that plugins refer to by handle.
///
/// A handle contains the generation of its slot, so that an ended handle finds nothing for the life
/// of the process, instead of a later object or freed memory.
public final class HandleTable<Object: AnyObject & Sendable>: Sendable {
    @usableFromInline struct Slot {
        @usableFromInline var generation: UInt32 = 1
        @usableFromInline var object: Object?
    }

    @usableFromInline struct Slots {
        @usableFromInline var all: [Slot] = []
        @usableFromInline var free: [Int] = []
    }

    @usableFromInline let slots = Mutex(Slots())
    /// The bit of the index that is set in all handles of this table.
    @usableFromInline let mark: UInt64

    /// - Parameter isSecond: Whether the table's handles differ from every handle of a first table.
    package init(isSecond: Bool = false) { mark = isSecond ? 1 << 31 : 0 }

    /// Returns the slot of a handle. The slot of another table's handle is far beyond all slots.
    @inlinable func index(of handle: UInt64) -> Int { Int((handle & 0xffff_ffff) ^ mark) }

    /// Adds an object. Its handle is never zero and never reused.
    package func insert(_ object: Object) -> UInt64 {
        slots.withLock { slots in
            let index: Int
            if let reused = slots.free.popLast() {
                index = reused
            } else {
                index = slots.all.count
                slots.all.append(Slot())
            }
            slots.all[index].object = object
            return UInt64(slots.all[index].generation) << 32 | mark | UInt64(index)
        }
    }

    /// The object of a handle; nil if it was removed or never existed. [any]
    @inlinable package subscript(handle: UInt64) -> Object? {
        slots.withLock { slots in
            let index = index(of: handle)
            guard index < slots.all.count, slots.all[index].generation == handle >> 32 else {
                return nil
            }
            return slots.all[index].object
        }
    }

    /// Removes a handle. A second call does nothing.
    package func remove(_ handle: UInt64) {
        let object: Object? = slots.withLock { slots in
            let index = index(of: handle)
            guard index < slots.all.count, slots.all[index].generation == handle >> 32,
                let object = slots.all[index].object
            else { return nil }
            slots.all[index].object = nil
            // Retire a slot whose generations are used up.
            if slots.all[index].generation < .max {
                slots.all[index].generation += 1
                slots.free.append(index)
            }
            return object
        }
        // Releases the last reference outside the lock.
        withExtendedLifetime(object) {}
    }
}
