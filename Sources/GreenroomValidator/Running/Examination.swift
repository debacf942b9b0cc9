import GreenroomHarness
import GreenroomRuntime
import GreenroomSession
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// What a check has in hand: a plugin, and the means to have it live.
///
/// Threads: the check's own.
final class Examination: Sendable {
    let library: String
    let descriptor: PluginDescriptor
    /// Every setting, as the user gave it or by its default.
    let settings: [Setting]
    let confinement: Confinement
    /// What everything random is made from.
    let seed: UInt64
    /// Whether the user said that the picture stands still or is of one colour on purpose.
    let isStill: Bool
    /// What the process of the check was told.
    let order: CheckRequest
    /// What was done so far.
    let progress: CheckProgress
    private let offTheClock = Atomic(false)

    init(
        library: String, descriptor: PluginDescriptor, settings: [Setting],
        confinement: Confinement, seed: UInt64, isStill: Bool = false, order: CheckRequest,
        progress: CheckProgress
    ) {
        self.order = order
        self.progress = progress
        self.library = library
        self.descriptor = descriptor
        self.settings = settings
        self.confinement = confinement
        self.seed = seed
        self.isStill = isStill
    }

    /// Whether the plugin was seen not to wait on the session clock: it is looked at in real time.
    var isOffClock: Bool {
        get { offTheClock.load(ordering: .relaxed) }
        set { offTheClock.store(newValue, ordering: .relaxed) }
    }

    /// A generator that makes the same numbers each time, other ones for each purpose.
    func random(_ purpose: UInt64 = 0) -> SeededRandom { SeededRandom(seed &+ purpose &* 0x9E37) }

    /// Starts a process with nothing in it but the sandbox.
    func emptyProcess() throws(Verdict) -> SharedProcess {
        do throws(LoadError) {
            return try SharedProcess(path: library, confinement: confinement) { [progress] in
                progress.add(refusal: $0)
            }
        } catch {
            throw .failed("no process could be started for it: \(error.explanation)")
        }
    }

    /// Starts a process and loads the plugin there.
    func process() throws(Verdict) -> SharedProcess {
        let process = try emptyProcess()
        try load(into: process)
        return process
    }

    /// Loads the plugin into a process.
    @discardableResult
    func load(into process: SharedProcess) throws(Verdict) -> LibraryDescription {
        let description: LibraryDescription
        do throws(LoadError) {
            description = try process.load()
        } catch {
            throw .hindered(by: error, ELFFile.read(library))
        }
        // In another process it was.
        guard description.descriptors.contains(descriptor) else {
            throw .hindered(
                by: "load.steadfast",
                "\(descriptor.name) is not in the library each time, or not the same")
        }
        return description
    }

    /// Makes a place to lead the plugin through a life, in a process of its own.
    ///
    /// - Parameters:
    ///   - clock: Virtual unless what is looked at is real time.
    ///   - settings: In place of the user's.
    ///   - withheld: The host's extension that the plugin does not get.
    ///   - leases: Watches the frames that it is lent.
    func fixture(
        on clock: ClockKind = .virtual, settings: [Setting]? = nil,
        withholding withheld: String? = nil, leases: LeaseWatch? = nil
    ) throws(Verdict) -> Fixture {
        fixture(
            in: try process(), on: clock, settings: settings, withholding: withheld,
            leases: leases)
    }

    /// Makes one in a process that the plugin is loaded into already.
    func fixture(
        in process: SharedProcess, on clock: ClockKind = .virtual, settings: [Setting]? = nil,
        withholding withheld: String? = nil, leases: LeaseWatch? = nil
    ) -> Fixture {
        Fixture(
            self, process, HarnessClock(clock), settings: settings ?? self.settings,
            withholding: withheld, leases: leases)
    }

    /// Looks at a life on the virtual clock; a plugin that does not keep to that one, and is found
    /// wanting, is looked at once more on the real clock.
    func onItsClock(_ look: (Fixture) throws(Verdict) -> Verdict) throws(Verdict) -> Verdict {
        let fixture = try fixture()
        let verdict: Verdict
        do throws(Verdict) {
            verdict = try look(fixture)
        } catch {
            verdict = error
        }
        // A process that is lost is lost on any clock.
        guard fixture.clock.isOffClock(), verdict.outcome != .passed, verdict.outcome != .crashed
        else {
            return verdict
        }
        return try look(self.fixture(on: .real))
    }

    /// Makes another one, in the same process and on the same clock.
    ///
    /// - Parameters:
    ///   - number: Tells them apart; the first one has 0.
    ///   - settings: In place of the user's.
    ///   - leases: Watches the frames that it is lent.
    func fixture(
        beside first: Fixture, number: Int, settings: [Setting]? = nil, leases: LeaseWatch? = nil
    ) -> Fixture {
        Fixture(
            self, first.process, first.clock, number: number,
            settings: settings ?? self.settings, withholding: nil, leases: leases)
    }
}

/// A generator of numbers that are the same for the same seed: SplitMix64.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
