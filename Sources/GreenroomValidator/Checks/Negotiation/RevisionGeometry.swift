import GreenroomSession
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let revisionGeometry = Check(
        "negotiation.revision-geometry", "a frame is what its offer says", of: .pictures,
        proving: """
            Each frame that carries the revision of an offer has the size that was agreed on for that \
            offer, from the first frame on and across three changes: a new revision on a frame of \
            the old size, or the reverse, has the host take the one for the other. A share may be \
            smaller than what was agreed on.
            """
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
                    "\(mismatch.text): take size and revision over together, between two frames")
            }
            guard !offers.fixture.record.frames.isEmpty || offers.fixture.hasGivenUp else {
                return .hindered(by: "lifecycle.whole-life", "it sent no frames")
            }
            return .passed()
        }
    }
}
