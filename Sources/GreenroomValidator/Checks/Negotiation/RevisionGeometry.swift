import GreenroomHarness
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let revisionGeometry = Check(
        "negotiation.revision-geometry", "frames match their offer's revision", of: .videoSources,
        rule: "Each frame has the size that was agreed for the offer revision that it carries.",
        why: "A frame of the old size with the new revision, or the reverse, misleads the host.",
        measured: """
            Every frame from the first on and across three changes. A share may be smaller \
            than agreed.
            """,
        fix: "Take size and revision from the same agreement, once per frame."
    ) { examination throws(Verdict) in
        try examination.talksOnItsClock { offers throws(Verdict) in
            let pluginHarness = offers.fixture.pluginHarness
            try offers.begin(with: pluginHarness.nextOffer())
            try offers.fixture.wait(seconds: 0.5)
            let ceilings: [VideoCapability?] = [
                .small, nil, VideoCapability(width: 960, height: 540, fps: 30),
            ]
            for ceiling in ceilings {
                guard let offer = pluginHarness.nextOffer(ceiling: ceiling) else { continue }
                _ = try offers.change(to: offer)
                try offers.fixture.wait(seconds: 0.7)
            }
            try offers.fixture.stopSend()
            if let mismatch = offers.mismatch {
                return .failed(
                    "\(mismatch.text): change size and revision together, between two frames")
            }
            guard !offers.fixture.record.frames.isEmpty || offers.fixture.hasGivenUp else {
                return .hindered(by: "lifecycle.whole-life", "sent no frames")
            }
            return .passed()
        }
    }
}
