import TestSupport
import Testing

@testable import GreenroomVideo

@Suite struct VideoAccountTests {
    @Test func `frames at the agreed rate count as real, and missing frames as repeated`() {
        var account = VideoAccount()
        for period in 0..<100 where period % 10 != 4 {
            account.take(.fresh, at: Int64(period), for: 1)
        }
        account = account.closed(at: 100)
        #expect(account.real == 90 && account.repeated == 10 && account.total == 100)
        #expect(account.realPart == 0.9)
    }

    @Test(arguments: [15.0, 20, 29.97, 7.5])
    func `a source at its agreed rate is real, even if the output is faster`(fps: Double) {
        var account = VideoAccount()
        let frames = Int(fps * 100)
        for frame in 0..<frames {
            account.take(.fresh, at: Int64((Double(frame) * 30 / fps).rounded()), for: 30 / fps)
        }
        account = account.closed(at: 3000)
        #expect(account.total == 3000)
        #expect(account.repeated <= 1, "\(account)")
        // Half of the frames is half of the picture.
        var half = VideoAccount()
        for frame in stride(from: 0, to: frames, by: 2) {
            half.take(.fresh, at: Int64((Double(frame) * 30 / fps).rounded()), for: 30 / fps)
        }
        let part = half.closed(at: 3000).realPart ?? 0
        #expect(abs(part - 0.5) < 0.01, "\(part)")
    }

    @Test func `jitter of a source at half the output's rate does not count as repeats`() {
        var account = VideoAccount()
        var random = SeededGenerator(seed: 11)
        for frame in 0..<1000 {
            account.take(
                .fresh, at: Int64(2 * frame) + (random.unit() < 0.3 ? 1 : 0), for: 2)
        }
        account = account.closed(at: 2000)
        #expect(account.total == 2000 && account.repeated <= 1, "\(account)")
    }

    @Test func `each period counts as real, late, unedited, repeated, slate or stopped`() {
        var account = VideoAccount()
        account.take(.fresh, at: 2, for: 1)
        account.take(.unedited, at: 3, for: 1)
        account.take(.late, at: 4, for: 1)
        account.show(.slate, from: 8)
        account.take(.fresh, at: 10, for: 1)
        account.show(.black, from: 11)
        account.take(.fresh, at: 20, for: .infinity)
        account.show(.lastFrame, from: 30)
        account = account.closed(at: 50)
        #expect(account.missing == 2 && account.unedited == 1 && account.late == 1)
        #expect(account.repeated == 3 && account.slate == 2 && account.stopped == 29)
        #expect(account.real == 12 && account.total == 50)
        #expect(account.realPart == 13.0 / 21)
    }

    @Test func `a source that is paused before its first frame counts as stopped`() {
        var account = VideoAccount()
        account.pause(true, from: 2)
        account.pause(false, from: 12)
        account.take(.fresh, at: 15, for: .infinity)
        account.pause(true, from: 20)
        account = account.closed(at: 30)
        #expect(account.missing == 5 && account.stopped == 10 && account.real == 15)
    }

    @Test func `a source counts as stopped until it connects, even while a slate is shown`() {
        var account = VideoAccount()
        account.awaitConnection(from: 0)
        account.show(.slate, from: 30)
        #expect(account.closed(at: 40).realPart == nil)
        account.start(from: 50)
        account.take(.fresh, at: 53, for: .infinity)
        account.show(.slate, from: 60)
        account = account.closed(at: 70)
        #expect(account.stopped == 50 && account.missing == 3 && account.real == 7)
        #expect(account.slate == 10 && account.total == 70)
    }

    @Test func `nothing after the end is counted`() {
        var account = VideoAccount()
        account.end = 10
        for period in [8, 9, 10, 12] { account.take(.fresh, at: Int64(period), for: 1) }
        account.show(.slate, from: 14)
        #expect(account.closed(at: 10).total == 10 && account.closed(at: 10).real == 2)
        #expect(account.closed(at: 12).total == 12)
    }

    @Test func `a source without frames is 0 % real, and a stopped source has no percentage`() {
        var account = VideoAccount().closed(at: 30)
        #expect(account.realPart == 0 && account.missing == 30)
        account = VideoAccount()
        account.show(.black, from: 0)
        #expect(account.closed(at: 30).realPart == nil)
        #expect(VideoAccount().realPart == nil)
    }

    @Test func `every period has one kind, in every order of frames and slates`() {
        var random = SeededGenerator(seed: 23)
        for _ in 0..<200 {
            var account = VideoAccount()
            var newest: Int64 = 0
            for _ in 0..<200 {
                let period = newest + Int64(random.unit() * 8) - 3
                newest = max(newest, period)
                switch Int(random.unit() * 8) {
                case 0: account.show(.slate, from: period)
                case 1: account.show(.black, from: period)
                case 2: account.show(.lastFrame, from: period)
                case 3: account.take(.late, at: period, for: random.unit() * 4)
                case 4: account.take(.unedited, at: period, for: 1)
                case 5: account.take(.fresh, at: period, for: .infinity)
                default: account.take(.fresh, at: period, for: 1 + random.unit())
                }
            }
            let end = newest + 5
            let earlier = account
            account = account.closed(at: end)
            #expect(account.total == Int(end), "\(account)")
            #expect((account.realPart ?? 0) <= 1 && (account.realPart ?? 0) >= 0)
            #expect(account.since(earlier).total == account.total - earlier.total)
        }
    }
}
