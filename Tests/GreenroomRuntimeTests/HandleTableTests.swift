import Testing

@testable import GreenroomRuntime

@Suite struct HandleTableTests {
    final class Thing: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    @Test func `an ended handle finds nothing after its slot is reused`() {
        let table = HandleTable<Thing>()
        var ended: [UInt64] = []
        for number in 0..<1000 {
            let handle = table.insert(Thing(number))
            #expect(handle != 0)
            #expect(table[handle]?.number == number)
            table.remove(handle)
            ended.append(handle)
        }
        let live = table.insert(Thing(-1))
        #expect(ended.allSatisfy { table[$0] == nil })
        #expect(Set(ended).count == 1000)
        #expect(table[live]?.number == -1)
    }

    @Test func `invalid handles find nothing`() {
        let table = HandleTable<Thing>()
        let handle = table.insert(Thing(1))
        for made in [0, 1, .max, handle + 1, handle ^ (1 << 32), handle | (1 << 63)] as [UInt64] {
            #expect(table[made] == nil)
            table.remove(made)
        }
        #expect(table[handle]?.number == 1)
    }

    @Test func `ending a handle twice does not affect its successor`() {
        let table = HandleTable<Thing>()
        let first = table.insert(Thing(1))
        table.remove(first)
        let second = table.insert(Thing(2))
        table.remove(first)
        #expect(table[second]?.number == 2)
    }
}
