import Foundation
import TestSupport
import Testing

@testable import GreenroomAudio

@Suite struct JitterBufferTests {
    /// Pulls frames and returns the left samples.
    private func pull(_ queue: inout JitterBuffer, _ frames: Int) -> [Int16] {
        var samples = [Int16](repeating: -1, count: frames * 2)
        var span = samples.mutableSpan
        queue.pull(frames, into: &span)
        for frame in 0..<frames { #expect(samples[frame * 2] == samples[frame * 2 + 1]) }
        return (0..<frames).map { samples[$0 * 2] }
    }

    @Test func `the first sample plays at its time, after silence`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: 3)
        queue.append([1, 2, 3].span, channels: 1)
        #expect(pull(&queue, 5) == [0, 0, 0, 1, 2])
        #expect(pull(&queue, 1) == [3])
        #expect(queue.counts.idle == 3)
        #expect(queue.counts.played == 3)
        #expect(queue.counts.concealed == 0)
    }

    @Test
    func `missing audio plays as silence, and counts only while the source should send`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: 0)
        queue.append([1, 2].span, channels: 1)
        // A gap begins with the preceding audio, reversed and fading out.
        #expect(pull(&queue, 4) == [1, 2, 2, 0])
        #expect(queue.counts.concealed == 2)
        #expect(!queue.isContinuous)
        // The whole gap is a loss, up to the audio that ends it.
        #expect(pull(&queue, 240).allSatisfy { $0 == 0 })
        queue.begin(at: 246)
        queue.append([Int16](repeating: 240, count: 240).span, channels: 1)
        // What follows fades in.
        #expect(pull(&queue, 4) == [0, 0, 0, 1])
        #expect(pull(&queue, 238) == (2..<240).map { Int16($0) })
        #expect(queue.counts.concealed == 244)
        queue.finish()
        #expect(pull(&queue, 4) == [0, 0, 0, 0])
        #expect(queue.counts.idle == 4 && queue.counts.missing == 4)
        queue.rest()
        #expect(pull(&queue, 4) == [0, 0, 0, 0])
        #expect(queue.counts.idle == 8 && queue.counts.missing == 4)
    }

    @Test func `audio after a gap plays at its own time`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: 0)
        queue.append([1].span, channels: 1)
        _ = pull(&queue, 10)
        queue.begin(at: 12)
        queue.append([500, 500, 500].span, channels: 1)
        // It fades in within 1 ms, since the gap was short.
        #expect(pull(&queue, 4) == [0, 0, 0, 10])
    }

    /// Sound, a hole, and sound again.
    private func around(hole: Int, _ before: [Int16], _ after: [Int16]) -> [Int16] {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: 0)
        queue.append(before.span, channels: 1)
        queue.breakOff()
        queue.begin(at: Int64(before.count + hole))
        queue.append(after.span, channels: 1)
        let heard = pull(&queue, before.count + hole + after.count)
        #expect(queue.counts.concealed == hole && queue.counts.idle == 0)
        #expect(queue.counts.played == before.count + after.count)
        return heard
    }

    @Test func `audio before a gap is not repeated after the gap`() {
        let quiet = [Int16](repeating: 0, count: 960)
        for hole in Nightly.list(Array(1...300), byDay: { $0 % 11 == 1 || 237...243 ~= $0 }) {
            // A click at each place that is played backwards.
            for distance in stride(from: 1, through: 240, by: 7) {
                var before = quiet
                before[before.count - distance] = 20_000
                let heard = around(hole: hole, before, quiet)
                let end = before.count + hole
                let crossing = min(max(hole, 48), 240)
                #expect(heard[(end + crossing)...].allSatisfy { $0 == 0 }, "\(hole), \(distance)")
                // While the two cross it is quieter than within the hole.
                let loudest = heard[end...].map(abs).max() ?? 0
                #expect(Int(loudest) <= 20_000 * (240 - min(hole, 240)) / 240)
            }
        }
    }

    @Test func `a gap of any length fades without clicks, and the sound after the gap is exact`() {
        let tone = (0..<960).map { Int16(8000 * sin(Double($0) * .pi / 48)) }
        for hole in 1...300 {
            for sound in [tone, [Int16](repeating: 8000, count: 960)] {
                // The tone goes on as if nothing were missing.
                let after = sound.indices.map { sound[($0 + hole) % 960] }
                let heard = around(hole: hole, sound, after)
                let steps = zip(heard, heard.dropFirst()).map { abs(Int($0) - Int($1)) }
                // Its own steepest, and the difference of both sides within the crossing.
                let crossing = min(max(hole, 48), 240)
                #expect((steps.max() ?? 0) <= 530 + 16_000 / crossing, "\(hole)")
                #expect(heard[(960 + hole + crossing)...] == after[crossing...], "\(hole)")
            }
        }
    }

    @Test func `a short sound between two gaps does not repeat the audio before the first gap`() {
        for length in stride(from: 1, through: 239, by: 17) {
            var queue = JitterBuffer()
            queue.start(at: 0)
            queue.begin(at: 0)
            queue.append([Int16](repeating: 20_000, count: 960).span, channels: 1)
            _ = pull(&queue, 960 + 480)
            queue.begin(at: queue.place)
            queue.append([Int16](repeating: 500, count: length).span, channels: 1)
            let heard = pull(&queue, length + 480)
            #expect(heard.allSatisfy { $0 <= 500 }, "\(length)")
            #expect(queue.counts.concealed == 960)
        }
    }

    @Test func `silence of a paused source is not a loss, and audio sent anyway is played`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: 0)
        queue.append([Int16](repeating: 1000, count: 480).span, channels: 1)
        // It is paused 10 ms after its last sound.
        queue.pause(at: 960)
        _ = pull(&queue, 1440)
        #expect(queue.counts.concealed == 480 && queue.counts.muted == 480)
        queue.begin(at: 1440)
        queue.append([Int16](repeating: 1000, count: 480).span, channels: 1)
        let heard = pull(&queue, 960)
        #expect(heard[240..<480].allSatisfy { $0 == 1000 })
        #expect(queue.counts.played == 960 && queue.counts.muted == 960)
        queue.resume(at: 2640)
        _ = pull(&queue, 480)
        #expect(queue.counts.muted == 960 + 240 && queue.counts.concealed == 480 + 240)
        // Paused and resumed again, before the time has come.
        queue.pause(at: 3000)
        queue.resume(at: 3100)
        queue.pause(at: 3200)
        queue.resume(at: 3300)
        _ = pull(&queue, 1120)
        #expect(queue.counts.muted == 960 + 240 + 300 && queue.place == 4000)
        #expect(AudioAccount(queue.counts, filters: nil).stopped == queue.counts.muted)
    }

    @Test func `audio with a past timestamp plays at once`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        _ = pull(&queue, 100)
        queue.begin(at: 50)
        queue.append([7].span, channels: 1)
        #expect(pull(&queue, 1) == [7])
    }

    @Test func `a gap between queued blocks counts as concealed, and fades without clicks`() {
        var queue = JitterBuffer()
        queue.start(at: 0)
        queue.begin(at: 0)
        queue.append([Int16](repeating: 1000, count: 480).span, channels: 1)
        queue.breakOff()
        queue.begin(at: 1440)
        queue.append([Int16](repeating: 1000, count: 480).span, channels: 1)
        let heard = pull(&queue, 1920)
        #expect(queue.counts.concealed == 960 && queue.counts.idle == 0)
        // No edge: the fall and the rise take 5 ms each, and between them is silence.
        let steps = zip(heard, heard.dropFirst()).map { abs(Int($0) - Int($1)) }
        #expect((steps.max() ?? .max) <= 5)
        #expect(heard[720..<1440].allSatisfy { $0 == 0 })
        #expect(heard[1680...].allSatisfy { $0 == 1000 })
    }

    @Test func `every pulled frame counts as exactly one kind, whatever the source does`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<Nightly.value(100, byDay: 40) {
            var queue = JitterBuffer()
            var pulled = 0
            for _ in 0..<400 {
                switch Int(random.unit() * 14) {
                case 12: queue.pause(at: queue.place + Int64(random.unit() * 2000))
                case 13: queue.resume(at: queue.place + Int64(random.unit() * 2000))
                case 0: queue.start(at: queue.place)
                case 1: queue.stop(at: queue.place + Int64(random.unit() * 2000))
                case 2: queue.finish()
                case 3: queue.rest()
                case 4: queue.breakOff()
                case 5: queue.skip(Int64(random.unit() * 3000))
                case 6...8:
                    guard queue.isSending else { continue }
                    if !queue.isContinuous {
                        queue.begin(at: queue.place + Int64(random.unit() * 6000) - 2000)
                    }
                    let frames = min(queue.room, Int(random.unit() * 2000))
                    queue.append([Int16](repeating: 99, count: frames).span, channels: 1)
                default:
                    let frames = Int(random.unit() * 2000)
                    _ = pull(&queue, frames)
                    pulled += frames
                }
            }
            let (counts, account) = (queue.counts, AudioAccount(queue.counts, filters: nil))
            #expect(account.total == pulled, "\(counts)")
            #expect(
                counts.played + counts.concealed + counts.idle + counts.muted == pulled,
                "\(counts)")
            #expect(counts.missing >= 0 && counts.missing <= counts.idle)
            #expect(
                counts.appended == counts.played + counts.beforeStart + counts.cut + queue.queued,
                "\(counts)")
        }
    }

    @Test func `every sample plays once and in order, with any split into blocks and pulls`() {
        var seed: UInt64 = 3
        func random(_ range: Range<Int>) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return range.lowerBound + Int(seed >> 33) % range.count
        }
        for _ in 0..<200 {
            var queue = JitterBuffer()
            queue.start(at: 0)
            queue.begin(at: 0)
            var sent = 0
            var heard: [Int16] = []
            while heard.count < 5000 {
                let block = min(random(1..<900), queue.room)
                let samples = (0..<block).map { Int16(truncatingIfNeeded: sent + $0) }
                queue.append(samples.span, channels: 1)
                sent += block
                let frames = min(random(1..<900), sent - heard.count)
                guard frames > 0 else { continue }
                heard += pull(&queue, frames)
            }
            #expect(heard == heard.indices.map { Int16(truncatingIfNeeded: $0) })
            #expect(queue.counts.played == heard.count)
            #expect(queue.counts.concealed == 0)
        }
    }
}
