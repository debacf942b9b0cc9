import GreenroomMedia
import Testing

@testable import GreenroomLifecycle

@Suite struct CapabilityComplianceTests {
    private let second: Int64 = 1_000_000_000
    private let agreed = VideoCapability(width: 1280, height: 720, fps: 30)

    private func compliance() -> CapabilityCompliance {
        var compliance = CapabilityCompliance()
        compliance.agreed(1, on: agreed)
        return compliance
    }

    /// Sends frames at an interval, and returns the findings.
    private func findings(
        _ compliance: inout CapabilityCompliance, fps: Double, seconds: Double,
        size: FrameSize? = nil,
        info: FrameInfo = FrameInfo(offerRevision: 1), from start: Int64 = 0, isStale: Bool = false
    ) -> [CapabilityCompliance.Finding] {
        (0..<Int(fps * seconds)).compactMap { index in
            compliance.took(
                size ?? agreed.size, info, isStale: isStale,
                at: start + Int64(Double(index) / fps * 1e9))
        }
    }

    @Test func `a camera that keeps its agreement is not reported`() {
        var compliance = compliance()
        #expect(findings(&compliance, fps: 30, seconds: 20).isEmpty)
    }

    @Test func `nothing is reported before the agreement`() {
        var compliance = CapabilityCompliance()
        let size = FrameSize(width: 2, height: 2)
        #expect(findings(&compliance, fps: 1, seconds: 20, size: size).isEmpty)
    }

    @Test func `another size is reported once`() {
        var compliance = compliance()
        let size = FrameSize(width: 640, height: 480)
        #expect(
            findings(&compliance, fps: 30, seconds: 5, size: size)
                == [.otherSize(size, agreed: agreed.size)])
    }

    @Test(arguments: [Rotation.quarter, .threeQuarters])
    func `a frame that has the agreed size after rotation is accepted`(rotation: Rotation) {
        var compliance = compliance()
        var info = FrameInfo(offerRevision: 1)
        info.rotation = rotation
        let size = FrameSize(width: 720, height: 1280)
        #expect(findings(&compliance, fps: 30, seconds: 5, size: size, info: info).isEmpty)
    }

    @Test func `a frame for another offer is not checked against the agreed size`() {
        var compliance = compliance()
        compliance.agreed(2, on: VideoCapability(width: 640, height: 360, fps: 30))
        #expect(findings(&compliance, fps: 30, seconds: 5).isEmpty)
    }

    @Test func `frames of an old offer are reported once, after the grace time`() {
        var compliance = compliance()
        compliance.agreed(2, on: VideoCapability(width: 640, height: 360, fps: 30))
        #expect(
            findings(&compliance, fps: 30, seconds: 1, isStale: true)
                == [.oldOffer(1, agreed: 2)])
    }

    @Test(arguments: [(14.0, true), (2, true), (16, false), (30, false), (120, false)])
    func `less than half of the agreed rate is reported`(fps: Double, isFound: Bool) {
        var compliance = compliance()
        let found = findings(&compliance, fps: fps, seconds: 12)
        #expect(found.count == (isFound ? 1 : 0), "\(found)")
        guard case .slow(let seen, let rate)? = found.first else { return }
        #expect(rate == agreed.rate)
        #expect(abs(seen - fps) <= fps * 0.1)
    }

    @Test func `a stop does not count as a slow rate`() {
        var compliance = compliance()
        #expect(findings(&compliance, fps: 30, seconds: 1).isEmpty)
        compliance.pause()
        #expect(findings(&compliance, fps: 30, seconds: 5, from: 60 * second).isEmpty)
    }

    @Test func `each warning names the agreement, the sent format and the fix`() {
        let size = FrameSize(width: 640, height: 480)
        let texts = [
            CapabilityCompliance.Finding.otherSize(size, agreed: agreed.size).text,
            CapabilityCompliance.Finding.slow(framesPerSecond: 2.04, agreed: agreed.rate).text,
            CapabilityCompliance.Finding.oldOffer(3, agreed: 4).text,
        ]
        #expect(texts[0].contains("1280x720") && texts[0].contains("640x480"))
        #expect(texts[1].contains("agreed on 30 frames/s, but sends 2;"))
        #expect(texts[2].contains("offer 4") && texts[2].contains("offer 3"))
    }
}
