import GreenroomModel
import GreenroomMedia
import Testing

@testable import GreenroomLifecycle
@testable import GreenroomPluginInterface

@Suite struct LifecycleTableTests {
    @Test func `the lifecycle table has at most one row for a state and a step`() {
        for state in LifecycleState.allCases {
            for step in LifecycleStep.allCases {
                let rows = LifecycleTable.rows.filter { $0.state == state && $0.step == step }
                #expect(rows.count <= 1)
                #expect(LifecycleTable.next(from: state, by: step) == rows.first?.next)
            }
        }
    }

    @Test func `uninitialize runs exactly once for each initialize`() {
        // Every walk through the table, up to a length that passes every row twice.
        var walks: [(state: LifecycleState, initialized: Int, uninitialized: Int)] = [
            (.created, 0, 0)
        ]
        for _ in 0..<7 {
            walks = walks.flatMap { walk in
                LifecycleTable.rows.filter { $0.state == walk.state }.map { row in
                    (
                        row.next,
                        walk.initialized + (row.step == .initialize ? 1 : 0),
                        walk.uninitialized + (row.step == .uninitialize ? 1 : 0)
                    )
                }
            }
            for walk in walks {
                #expect(walk.initialized <= 1)
                switch walk.state {
                case .created: #expect((walk.initialized, walk.uninitialized) == (0, 0))
                case .initialized, .sending, .stopped:
                    #expect((walk.initialized, walk.uninitialized) == (1, 0))
                case .uninitialized: #expect((walk.initialized, walk.uninitialized) == (1, 1))
                case .destroyed: #expect(walk.initialized == walk.uninitialized)
                case .faulted: break
                }
            }
        }
    }

    @Test func `the steps to the end are legal from every state with an orderly end`() {
        for start in LifecycleState.allCases {
            var state = start
            for step in LifecycleTable.stepsToEnd(from: start) {
                guard let next = LifecycleTable.next(from: state, by: step) else {
                    Issue.record("\(step) from \(state)")
                    return
                }
                state = next
            }
            #expect(state == .destroyed || start == .faulted)
        }
    }

    @Test func `the final states have no steps`() {
        for state in [LifecycleState.destroyed, .faulted] {
            #expect(!LifecycleTable.rows.contains { $0.state == state })
        }
    }

    @Test func `a sender is open only while sending`() {
        for state in LifecycleState.allCases {
            #expect((LifecycleTable.senderStatus(in: state) == .ok) == (state == .sending))
        }
        #expect(LifecycleTable.senderStatus(in: .initialized) == .notStarted)
        #expect(LifecycleTable.senderStatus(in: .stopped) == .stopped)
        #expect(LifecycleTable.senderStatus(in: .uninitialized) == .gone)
        #expect(LifecycleTable.senderStatus(in: .faulted) == .gone)
    }
}
