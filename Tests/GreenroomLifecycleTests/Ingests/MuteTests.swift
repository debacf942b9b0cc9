@testable import GreenroomAudio
import GreenroomMedia
import TestSupport
import Testing

@testable import GreenroomLifecycle

/// Audio around a stop and restart of its source.
@Suite struct MuteTests {
    private func frames(_ milliseconds: Int) -> Int { milliseconds * 48 }

    /// A queue that got a second of ones, pulled up to 100 ms before their end.
    private func sending(_ milliseconds: Int) -> JitterBuffer {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: 0)
        for tenth in 0..<(milliseconds / 10) {
            send(10, to: &queue)
            if tenth >= 10 { _ = pull(&queue, 10) }
        }
        return queue
    }

    private func send(_ milliseconds: Int, to queue: inout JitterBuffer, value: Int16 = 1000) {
        let block = [Int16](repeating: value, count: frames(milliseconds))
        queue.append(block.span, channels: 1)
    }

    private func pull(_ queue: inout JitterBuffer, _ milliseconds: Int) -> [Int16] {
        var samples = [Int16](repeating: -1, count: frames(milliseconds) * 2)
        var span = samples.mutableSpan
        queue.pull(frames(milliseconds), into: &span)
        return (0..<frames(milliseconds)).map { samples[$0 * 2] }
    }

    private func expectExact(_ queue: JitterBuffer) {
        let counts = queue.counts
        #expect(counts.appended == counts.played + counts.beforeStart + counts.cut + queue.queued)
        #expect(
            counts.played + counts.concealed + counts.idle + counts.muted == Int(queue.place))
    }

    @Test func `audio from before the mute plays, audio sent ahead is cut`() {
        // 500 ms were sent, 400 pulled; muted at 450.
        var queue = sending(500)
        queue.stop(at: Int64(frames(450)))
        let tail = pull(&queue, 200)
        #expect(tail[..<frames(50)].allSatisfy { $0 == 1000 })
        // It fades out within 5 ms.
        let fall = Array(tail[frames(50)..<frames(55)])
        #expect(zip(fall, fall.dropFirst()).allSatisfy { $0 >= $1 && $0 - $1 < 10 })
        #expect(fall[0] > 990 && fall[fall.count - 1] < 10)
        #expect(tail[frames(55)...].allSatisfy { $0 == 0 })
        #expect(queue.counts.cut == frames(45))
        #expect(queue.counts.muted == frames(145))
        #expect(queue.counts.concealed == 0)
        expectExact(queue)
    }

    @Test func `the first block after the mute plays at its own time, and fades in`() {
        var queue = sending(500)
        queue.stop(at: Int64(frames(450)))
        _ = pull(&queue, 500)
        // Unmuted at 1000 ms; the first block belongs to 1020.
        queue.start(at: Int64(frames(1000)))
        queue.begin(at: Int64(frames(1020)))
        send(60, to: &queue, value: 2000)
        _ = pull(&queue, 100)
        let head = pull(&queue, 80)
        #expect(head[..<frames(20)].allSatisfy { $0 == 0 })
        let rise = Array(head[frames(20)..<frames(25)])
        #expect(zip(rise, rise.dropFirst()).allSatisfy { $1 >= $0 && $1 - $0 < 20 })
        #expect(head[frames(25)...].allSatisfy { $0 == 2000 })
        #expect(queue.counts.muted == frames(545))
        #expect(queue.counts.idle == frames(20))
        expectExact(queue)
    }

    @Test func `samples from the muted time do not play after the mute`() {
        var queue = sending(500)
        queue.stop(at: Int64(frames(450)))
        _ = pull(&queue, 500)
        queue.start(at: Int64(frames(1000)))
        // A device returns buffered samples: 30 ms of them are from the muted time.
        queue.begin(at: Int64(frames(970)))
        send(30, to: &queue, value: 7)
        send(30, to: &queue, value: 3000)
        _ = pull(&queue, 100)
        let head = pull(&queue, 30)
        #expect(!head.contains(7))
        #expect(head[frames(6)...].allSatisfy { $0 == 3000 })
        #expect(queue.counts.cut == frames(45) + frames(30))
        expectExact(queue)
    }

    @Test func `audio before and after an instant mute plays`() {
        var queue = sending(500)
        queue.stop(at: Int64(frames(450)))
        queue.start(at: Int64(frames(460)))
        queue.begin(at: Int64(frames(460)))
        send(50, to: &queue, value: 2000)
        let sound = pull(&queue, 110)
        #expect(sound[..<frames(50)].allSatisfy { $0 == 1000 })
        #expect(sound[frames(55)..<frames(60)].allSatisfy { $0 == 0 })
        #expect(sound[frames(65)...].allSatisfy { $0 == 2000 })
        #expect(queue.counts.muted == frames(5))
        expectExact(queue)
    }

    @Test func `audio that an ended source has sent plays to its end`() {
        var queue = sending(500)
        queue.stop(at: Int64(frames(450)))
        queue.finish()
        let tail = pull(&queue, 150)
        #expect(tail[..<frames(100)].allSatisfy { $0 == 1000 })
        #expect(queue.counts.cut == 0 && queue.counts.muted == 0)
        #expect(queue.counts.idle == frames(50))
        expectExact(queue)
    }

    @Test func `audio from before the session is cut`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: -Int64(frames(15)))
        send(15, to: &queue, value: 7)
        send(15, to: &queue)
        #expect(pull(&queue, 15).allSatisfy { $0 == 1000 })
        #expect(queue.counts.beforeStart == frames(15))
        expectExact(queue)
    }

    @Test func `every frame and all time is accounted for in random sequences`() {
        for seed in 1...Nightly.value(300, byDay: 120) as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var queue = JitterBuffer()
            for _ in 0..<200 {
                let present = queue.place + 4800
                switch random.integer(0..<12) {
                case 0: queue.start(at: present)
                case 1: queue.stop(at: present)
                case 2 where random.unit() < 0.2: queue.finish()
                case 4...8:
                    if !queue.isContinuous {
                        queue.begin(at: present + Int64(random.integer(-6000..<3000)))
                    }
                    let frames = random.integer(1..<4800)
                    guard queue.room >= frames else { continue }
                    queue.append([Int16](repeating: 5, count: frames).span, channels: 1)
                default:
                    _ = pull(&queue, random.integer(1..<20))
                }
                expectExact(queue)
            }
        }
    }
}
