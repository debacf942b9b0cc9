import Synchronization

/// Objects that plugins name by a number.
///
/// A number carries the generation of its slot, so that one that has ended finds nothing, for
/// as long as the process lives, instead of finding its successor or freed memory.
package final class HandleTable<Object: AnyObject & Sendable>: Sendable {
    private struct Slot {
        var generation: UInt32 = 1
        var object: Object?
    }

    private struct Slots {
        var all: [Slot] = []
        var free: [Int] = []
    }

    private let slots = Mutex(Slots())

    package init() {}

    /// Gives an object a number, which is never zero and never given again.
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
            return UInt64(slots.all[index].generation) << 32 | UInt64(index)
        }
    }

    /// The object with a number, or nil if it has ended or never was. [any]
    package subscript(handle: UInt64) -> Object? {
        slots.withLock { slots in
            let index = Int(handle & 0xffff_ffff)
            guard index < slots.all.count, slots.all[index].generation == handle >> 32 else {
                return nil
            }
            return slots.all[index].object
        }
    }

    /// Ends a number. Ending it twice does nothing.
    package func remove(_ handle: UInt64) {
        let object: Object? = slots.withLock { slots in
            let index = Int(handle & 0xffff_ffff)
            guard index < slots.all.count, slots.all[index].generation == handle >> 32,
                let object = slots.all[index].object
            else { return nil }
            slots.all[index].object = nil
            // A slot whose generations are used up is left alone for good.
            if slots.all[index].generation < .max {
                slots.all[index].generation += 1
                slots.free.append(index)
            }
            return object
        }
        // The last reference, if it is one, ends outside the lock.
        withExtendedLifetime(object) {}
    }
}
