import GreenroomModel
import GreenroomConversion
import GreenroomHarness
import GreenroomNegotiation
import GreenroomRuntime
import GreenroomLifecycle
import GreenroomPluginInterface
import GreenroomMedia

extension Catalogue {
    static let twoInstances = Check(
        "lifecycle.two-instances", "two instances at once",
        rule: "Two instances in one process do not disturb each other.",
        why: "Static variables and rand() mix instances up.",
        measured: """
            Two instances at different sizes: each sends at its size, one outlives the \
            other, and frames are the same bytes as alone. Audio and unrepeatable plugins \
            are not compared; a second instance may be refused.
            """,
        fix: "Keep all state in what create returns."
    ) { examination throws(Verdict) in
        try examination.onItsClock { first throws(Verdict) in
            let second = examination.fixture(beside: first, number: 1)
            try first.start()
            try first.wait(seconds: 0.3)
            // Other checks cover a single instance.
            let isExact = mixUp(first) == nil
            let goesOn = try first.sends(after: first.accepted, within: 5)
            for step in [LifecycleStep.create, .initialize, .startSend] {
                let offer =
                    step == .initialize ? second.pluginHarness.nextOffer(maximum: .small) : nil
                switch second.make(step, offer) {
                case .done, .pumps: continue
                case let end where end.isBadAnswer: return second.ordinary(step, end)
                case .refused(let status, let text):
                    return .warning(
                        "\(step) of a second instance answers \(status): \(text). A session with "
                            + "two of it continues with one")
                case let end: return second.verdict(on: "\(step) of a second instance", end)
                }
            }
            let alone = first.accepted
            try first.wait(seconds: 0.6)
            if goesOn { try mustSend(first, after: alone, "the first of two instances") }
            try mustSend(second, after: 0, "the second of two instances")
            for fixture in [first, second] where isExact {
                if let fault = mixUp(fixture) { return fault }
            }
            if first.kind.isFilter { try edit(first, second) }
            let before = second.accepted
            for step in LifecycleStep.ending {
                let end = first.make(step)
                guard end == .done else {
                    return first.ordinary(step, end, as: "\(step) of one of two instances")
                }
            }
            let ended = first.accepted
            if second.pluginHarness.wait(nanoseconds: 500_000_000) != nil {
                return second.crash().unless("lifecycle.dead-sender")
            }
            if goesOn {
                try mustSend(second, after: before, "an instance beside one that has ended")
            }
            guard first.accepted == ended else {
                return .failed("the ended instance keeps sending through the other's sender")
            }
            try second.end()
            return try otherFrames(examination) ?? .passed()
        }
    }

    private static func mustSend(
        _ fixture: Fixture, after count: Int, _ name: String
    ) throws(Verdict) {
        guard fixture.isSource, try !fixture.sends(after: count, within: 5) else { return }
        throw .failed(
            "\(name) sends nothing\(fixture.refusals): keep an instance's state in what "
                + "create returns, not in static variables"
        ).unless("lifecycle.whole-life")
    }

    /// A verdict if frames have another size than the instance agreed on; nil otherwise.
    private static func mixUp(_ fixture: Fixture) -> Verdict? {
        guard let agreed = fixture.pluginHarness.agreement?.source.size,
            let frame = fixture.record.frames.first(where: { $0.size != agreed })
        else { return nil }
        return .failed(
            "an instance that has agreed on \(agreed) sends \(frame.size) while there is another "
                + "one: keep an instance's state in what create returns, not in static "
                + "variables"
        )
    }

    /// Calls both instances to edit a frame.
    private static func edit(_ first: Fixture, _ second: Fixture) throws(Verdict) {
        for (fixture, size) in [
            (first, FrameSize(width: 1920, height: 1080)),
            (second, FrameSize(width: 640, height: 360)),
        ] {
            let info = FrameInfo(
                color: .bt709Limited, offerRevision: 1, ptsNanoseconds: fixture.clock.now)
            _ = fixture.pluginHarness.edit(size, info: info) { _ in }
            if fixture.pluginHarness.fault != nil { throw fixture.crash() }
        }
    }
}

/// A frame of an instance.
private struct Sample: Equatable {
    /// The time of the frame, in nanoseconds on the session clock.
    var time: Int64?
    var size: FrameSize
    var digest: UInt64
}

/// The existing instances of two.
private struct InstanceSet: OptionSet {
    let rawValue: Int
    static let first = InstanceSet(rawValue: 1)
    static let second = InstanceSet(rawValue: 2)
    static let both: InstanceSet = [.first, .second]
}

extension Catalogue {
    /// The verdict on instances whose output changes because of each other; nil if the output does
    /// not change or that is unknown.
    static func otherFrames(_ examination: Examination) throws(Verdict) -> Verdict? {
        let kind = examination.descriptor.kind
        guard Set.videoSources.contains(kind) || kind.isFilter else { return nil }
        // A source's frames may show its number; edited frames do not.
        let roles: [InstanceSet] = kind.isFilter ? [.first, .second] : [.first]
        for role in roles {
            guard try differs(role, examination) != nil else { continue }
            // Random frames, or a time of day, may have differed by chance.
            guard let number = try differs(role, examination),
                try differs(role, examination) != nil
            else { return nil }
            let verb = kind.isFilter ? "returns" : "sends"
            return .failed(
                "\(role == .first ? "the first" : "the second") of two instances \(verb) another "
                    + "frame number \(number + 1) than alone: keep an "
                    + "instance's state in what create returns, not in static variables")
        }
        return nil
    }

    /// Compares an instance's frames alone, beside another one, and alone again.
    ///
    /// - Returns: The first frame that differs; nil if there is none, or if the two runs alone
    ///   differ.
    private static func differs(
        _ role: InstanceSet, _ examination: Examination
    ) throws(Verdict) -> Int? {
        guard let alone = try frames(of: role, among: role, examination),
            let beside = try frames(of: role, among: .both, examination),
            let place = firstDifference(alone, beside),
            let again = try frames(of: role, among: role, examination),
            firstDifference(alone, again) == nil
        else { return nil }
        return place
    }

    /// The first frame with different content; nil if there is none, or if the times differ.
    private static func firstDifference(_ some: [Sample], _ others: [Sample]) -> Int? {
        let pairs = zip(some, others)
        guard pairs.allSatisfy({ $0.time == $1.time }) else { return nil }
        return pairs.enumerated().first { $0.element.0 != $0.element.1 }?.offset
    }

    /// The frames of an instance in a short run.
    ///
    /// - Returns: nil if the run can't be compared.
    private static func frames(
        of role: InstanceSet, among instances: InstanceSet, _ examination: Examination
    ) throws(Verdict) -> [Sample]? {
        let first = try examination.fixture()
        let second = examination.fixture(beside: first, number: 1)
        let fixtures = [(InstanceSet.first, first), (.second, second)].filter {
            instances.contains($0.0)
        }
        for fixture in [first, second] {
            if fixtures.contains(where: { $0.1 === fixture }) {
                let size = fixture === first ? VideoCapability.small : .smaller
                let offer = fixture.pluginHarness.nextOffer(maximum: size)
                for step in [LifecycleStep.create, .initialize, .startSend] {
                    let end = fixture.make(step, step == .initialize ? offer : nil)
                    guard end == .done else { return nil }
                }
            }
            // Start the second one at the same time when it is alone.
            try first.wait(seconds: 0.1)
        }
        var edited: [Sample] = []
        for number in 0..<8 {
            for (owner, fixture) in fixtures where fixture.kind.isFilter {
                let sample = try fixture.editFrame(
                    number, fixture === first ? .small : .smaller)
                if owner == role {
                    guard let sample else { return nil }
                    edited.append(sample)
                }
            }
            try first.wait(seconds: 0.05)
        }
        guard let fixture = fixtures.first(where: { $0.0 == role })?.1 else { return nil }
        for (_, fixture) in fixtures {
            for step in LifecycleStep.ending {
                guard fixture.make(step) == .done else { return nil }
            }
        }
        let clock = first.clock
        guard clock.isVirtual, !clock.isOffClock(), !clock.isOffClock(1), fixture.refusals.isEmpty
        else {
            return nil
        }
        if fixture.kind.isFilter { return edited }
        return fixture.record.frames.map {
            Sample(time: $0.info.ptsNanoseconds, size: $0.size, digest: $0.digest)
        }
    }
}

extension Fixture {
    /// Calls the plugin to edit a frame whose content depends only on its number.
    fileprivate func editFrame(
        _ number: Int, _ size: FrameSize
    ) throws(Verdict) -> Sample? {
        let info = FrameInfo(
            color: .bt709Limited, offerRevision: 1, ptsNanoseconds: Int64(number) * 33_333_333)
        guard
            let edit = pluginHarness.edit(
                size, info: info, fill: { $0.fillWithRamp(number: number) }),
            case .returned(let frame, let status) = edit, status == .ok
        else {
            if pluginHarness.fault != nil { throw crash() }
            return nil
        }
        return Sample(time: info.ptsNanoseconds, size: frame.size, digest: frame.digest)
    }
}

extension VideoCapability {
    fileprivate static let smaller = VideoCapability(width: 320, height: 180, fps: 30)
}

extension FrameSize {
    fileprivate static let small = FrameSize(width: 640, height: 360)
    fileprivate static let smaller = FrameSize(width: 320, height: 180)
}
