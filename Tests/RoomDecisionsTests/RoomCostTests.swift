import Foundation
import RoomAccess
import RoomDecisions
import TestSupport
import Testing

/// The cost of rooms, and the manual's table. After a change of the costs
///
///     GREENROOM_WRITE_BOOK=1 swift test --filter RoomCostTests
///
/// updates the table.
@Suite struct RoomCostTests {
    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    @Test func `the manual has the cost of each part`() throws {
        let path = "\(Checkout.root)/docs/manual/many-rooms.md"
        var page = String(decoding: try readFile(path), as: UTF8.self)
        let rows = RoomCost.Part.allCases.map { part in
            let cost = RoomCost.of(part)
            return "| \(part.rawValue) | "
                + [cost.cores, cost.memory, cost.megabits, cost.ports].map(Self.number)
                .joined(separator: " | ") + " |"
        }
        let table = rows.joined(separator: "\n")
        let start = try #require(page.range(of: "| --- | --- | --- | --- | --- |\n| a room |"))
        let first = page.index(start.upperBound, offsetBy: -"| a room |".count)
        let end = try #require(page[first...].range(of: "\n\n")).lowerBound
        if ProcessInfo.processInfo.environment["GREENROOM_WRITE_BOOK"] != nil {
            page.replaceSubrange(first..<end, with: table)
            try page.write(toFile: path, atomically: true, encoding: .utf8)
            return
        }
        #expect(page[first..<end] == table, "GREENROOM_WRITE_BOOK=1 writes the table again")
    }

    @Test func `the cost of parts adds up`() {
        let one = RoomCost.of(.guest)
        let sum = RoomCost.sum([.guest: 3, .room: 1, .viewer: 0])
        #expect(sum.memory == 3 * one.memory + RoomCost.of(.room).memory)
        #expect(sum.ports == 3 * one.ports)
        #expect(RoomCost.sum([:]) == RoomCost(cores: 0, memory: 0))
    }
}
