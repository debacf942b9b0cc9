import CLinux
import Glibc
import GreenroomIPC
import TestSupport
import Testing

@testable import GreenroomIsolation

/// No message of a plugin's process harms the host. `Tests/Fuzz/run.sh` searches for more messages
/// by coverage.
@Suite(.ownThreads) struct HostServiceTests {
    @Test func `no call of a runner crashes the host`() throws {
        let rig = try HostServiceRig()
        var random = SeededGenerator(seed: 11)
        var served = 0
        for _ in 0..<20_000 {
            served += rig.serve(
                (0..<Int.random(in: 1...60, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                })
        }
        #expect(served > 20_000)
        let isUnharmed = rig.isUnharmed
        #expect(isUnharmed)
    }

    @Test func `an invalid message is detected, and its descriptors are closed`() throws {
        let pair = try ControlSocket.pair()
        let host = ControlSocket(adopting: pair.host)
        var random = SeededGenerator(seed: 5)
        var pipe: [Int32] = [-1, -1]
        #expect(greenroom_pipe(&pipe) == 0)
        var kinds = (messages: 0, garbage: 0)
        for round in 0..<3000 {
            let count = Int.random(in: 1...64, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if round % 3 == 0 { bytes = [UInt8(round % 9), 0, 0, 0, bytes[0], 0, 0, 0] }
            let given = Array(repeating: pipe[1], count: round % 4)
            let sent = greenroom_send(
                pair.runner, bytes, bytes.count, given, Int32(given.count))
            #expect(sent == bytes.count)
            switch host.receive(waits: false) {
            case .message(let message):
                kinds.messages += 1
                for descriptor in message.descriptors { close(descriptor) }
                #expect(bytes.count == 8)
            case .garbage: kinds.garbage += 1
            case .nothing, .end: Issue.record("something was sent")
            }
        }
        #expect(kinds.messages > 100 && kinds.garbage > 1000)
        // It has ended when every copy of the writing end is closed.
        close(pipe[1])
        var byte: UInt8 = 0
        var count = read(pipe[0], &byte, 1)
        // A child that another test has just started has copies of all descriptors for a moment.
        for _ in 0..<10_000 where count < 0 && errno == EAGAIN {
            usleep(1_000)
            count = read(pipe[0], &byte, 1)
        }
        #expect(count == 0)
        close(pipe[0])
        close(pair.runner)
        guard case .end = host.receive(waits: false) else {
            Issue.record("the other end is closed")
            return
        }
    }
}
