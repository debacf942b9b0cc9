import CLinux
import Foundation
import Glibc
import GreenroomIPC
import GreenroomPluginInterface
import Synchronization
import Testing

/// A host's and a runner's end in one process.
private struct Pair {
    let host: Channels
    let runner: Channels

    init() throws {
        host = try Channels()
        runner = try Channels(
            adopting: dup(host.memory.descriptor))
    }
}

/// Runs a blocking body on its own thread: the tests' cooperative threads are few.
private final class Background<Result: Sendable>: Sendable {
    private struct State {
        var result: Result?
        var waiter: CheckedContinuation<Result, Never>?
    }

    private let state = Mutex(State())

    init(_ body: @escaping @Sendable () -> Result) {
        Thread.detachNewThread { [self] in
            let result = body()
            let waiter = state.withLock { state in
                state.result = result
                return state.waiter
            }
            waiter?.resume(returning: result)
        }
    }

    var value: Result {
        get async {
            await withCheckedContinuation { waiter in
                let result = state.withLock { state in
                    if state.result == nil { state.waiter = waiter }
                    return state.result
                }
                if let result { waiter.resume(returning: result) }
            }
        }
    }
}

struct ChannelTests {
    @Test func `a call returns with its answer`() async throws {
        let pair = try Pair()
        let runner = pair.runner
        let served = Background {
            let channel = runner[Channels.control]
            var calls: [RemoteCall] = []
            while let (call, length) = channel.receive() {
                calls.append(call)
                let number: UInt32 = channel.read()
                channel.write(number + UInt32(length))
                channel.send(.return, length: 4)
                if call == .plugin { break }
            }
            return calls
        }
        let channel = pair.host[Channels.control]
        for (call, number) in [(RemoteCall.load, UInt32(7)), (.create, 8), (.plugin, 9)] {
            channel.write(number)
            #expect(channel.call(call, length: 4) == 4)
            #expect(channel.read(UInt32.self) == number + 4)
        }
        #expect(await served.value == [.load, .create, .plugin])
    }

    @Test
    func `a runner's wait ends at its time, at the sender's stop or without the host`() async throws
    {
        let pair = try Pair()
        let runner = pair.runner
        let soon = greenroom_monotonic_now() + 1_000_000
        // Nothing is published yet.
        #expect(!runner.waitWhileSending(until: soon))
        pair.host.publish(sends: true)
        #expect(runner.senderState.sends)
        #expect(runner.waitWhileSending(until: soon))
        #expect(greenroom_monotonic_now() >= soon)
        #expect(runner.waitWhileSending(until: .min), "a time that has been")

        let stopped = Background { runner.waitWhileSending(until: .max) }
        pair.host.publish(sends: false)
        #expect(await !stopped.value)
        pair.host.publish(sends: true)
        let lost = Background { runner.waitWhileSending(until: .max) }
        runner.lose()
        #expect(await !lost.value)
    }

    @Test func `every change of a sender yields a new state value`() throws {
        let pair = try Pair()
        var seen = [pair.runner.senderState]
        for sends in [true, true, false, true, false, false] {
            pair.host.publish(sends: sends)
            let state = pair.runner.senderState
            #expect(state.sends == sends && !seen.contains(state))
            seen.append(state)
        }
    }

    @Test func `the called side may call back before it returns`() async throws {
        let pair = try Pair()
        let runner = pair.runner
        let plugin = Background {
            let channel = runner[Channels.control]
            guard channel.receive()?.call == .plugin else { return false }
            var answers: [UInt64] = []
            for number in 1...3 {
                channel.write(UInt64(number))
                guard channel.call(RemoteCall(.now), length: 8) == 8 else { return false }
                answers.append(channel.read())
            }
            channel.send(.return)
            return answers == [10, 20, 30]
        }
        let channel = pair.host[Channels.control]
        var served: [UInt64] = []
        let answer = channel.call(.plugin) { call, length in
            #expect(call == RemoteCall(.now) && length == 8)
            let number: UInt64 = channel.read()
            served.append(number)
            channel.write(number * 10)
            return 8
        }
        #expect(answer == 0)
        #expect(served == [1, 2, 3])
        #expect(await plugin.value)
    }

    @Test func `an unknown call from inside a call ends the outer call`() async throws {
        let pair = try Pair()
        let runner = pair.runner
        let host = pair.host
        let answer = Background { host[Channels.control].call(.plugin) }
        let channel = runner[Channels.control]
        #expect(channel.receive()?.call == .plugin)
        channel.send(RemoteCall(rawValue: 4711), length: 12)
        #expect(await answer.value == nil)
    }

    @Test func `waits end when the other side is lost`() async throws {
        let pair = try Pair()
        let host = pair.host
        let waiting = Background { host[Channels.media].call(.process) }
        let next = Background { host[Channels.control].receive() == nil }
        pair.host.lose()
        #expect(await waiting.value == nil)
        #expect(await next.value)
        #expect(pair.host[Channels.control].call(.plugin) == nil)
    }

    @Test func `a length beyond the message is cut`() throws {
        let pair = try Pair()
        pair.runner[5].send(RemoteCall(.log), length: .max)
        let received = try #require(pair.host[5].receive())
        #expect(received.length == Channels.messageByteCount)
    }

    @Test func `a write to one channel does not change another channel`() throws {
        let pair = try Pair()
        let bytes = [UInt8](repeating: 0xa5, count: Channels.messageByteCount)
        for index in [3, 5] {
            _ = bytes.withUnsafeBytes { pair.runner[index].write($0, at: 0) }
        }
        #expect(pair.host[4].message.allSatisfy { $0 == 0 })
        #expect(bytes.withUnsafeBytes { pair.runner[4].write($0, at: 100) } == bytes.count - 100)
        #expect(pair.host[4].message.last == 0xa5)
        pair.runner[6].send(RemoteCall(.log))
        #expect(pair.host[6].receive()?.call == RemoteCall(.log))
    }
}

struct SharedMemoryTests {
    @Test func `memory whose size could change is refused`() throws {
        let descriptor = try #require(openTemporaryFile(byteCount: 4096))
        #expect(throws: ChannelError.self) {
            try SharedMemory(adopting: descriptor, byteCount: 4096)
        }
    }

    @Test func `memory of another size is refused`() throws {
        let memory = try SharedMemory(name: "test", byteCount: 8192)
        #expect(throws: ChannelError.self) {
            try SharedMemory(adopting: dup(memory.descriptor), byteCount: 4096)
        }
        let same = try SharedMemory(adopting: dup(memory.descriptor), byteCount: 8192)
        same.base.storeBytes(of: 42, as: UInt8.self)
        #expect(memory.base.load(as: UInt8.self) == 42)
    }

    @Test(arguments: [0, 1, 4096, 1 << 20])
    func `the size of shared memory can't be changed`(length: Int) throws {
        let memory = try SharedMemory(name: "test", byteCount: 8192)
        #expect(ftruncate(memory.descriptor, off_t(length)) == -1)
        #expect(errno == EPERM)
    }

    @Test func `memory that is shared read-only can't be written by the other process`() throws {
        let memory = try SharedMemory(name: "test", byteCount: 8192, writers: .maker)
        memory.base.storeBytes(of: 42, as: UInt8.self)
        let descriptor = dup(memory.descriptor)
        let again = open("/proc/self/fd/\(descriptor)", O_RDWR | O_CLOEXEC)
        for descriptor in [descriptor, again] where descriptor >= 0 {
            let mapped = mmap(
                nil, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            #expect(mapped == MAP_FAILED && errno == EPERM)
            var byte: UInt8 = 7
            #expect(pwrite(descriptor, &byte, 1, 0) == -1 && errno == EPERM)
            #expect(ftruncate(descriptor, 0) == -1 && errno == EPERM)
        }
        if again >= 0 { close(again) }
        let reader = try SharedMemory(adopting: descriptor)
        #expect(reader.byteCount == 8192 && reader.base.load(as: UInt8.self) == 42)
        #expect(mprotect(reader.base, 4096, PROT_READ | PROT_WRITE) == -1 && errno == EACCES)
        #expect(madvise(reader.base, 4096, MADV_REMOVE) == -1)
        // This process still writes, and the other one sees it.
        memory.base.storeBytes(of: 43, as: UInt8.self)
        #expect(reader.base.load(as: UInt8.self) == 43)
    }

    @Test func `each memory has a separate number`() throws {
        let number = try SharedMemory(name: "test", byteCount: 4096).number
        #expect(try SharedMemory(name: "test", byteCount: 4096).number != number)
    }

    private func openTemporaryFile(byteCount: Int) -> Int32? {
        guard let file = tmpfile() else { return nil }
        defer { fclose(file) }
        let descriptor = dup(fileno(file))
        return ftruncate(descriptor, off_t(byteCount)) == 0 ? descriptor : nil
    }

    @Test func `the fields and the samples of a message do not overlap`() {
        #expect(
            MessageLayout.value + MemoryLayout<GrantMessage>.size <= MessageLayout.samples)
        #expect(MessageLayout.memory + MemoryLayout<UInt32>.size <= MessageLayout.samples)
    }
}
