import GreenroomHarness
import GreenroomModel
import GreenroomIsolation
import GreenroomPluginInterface
import GreenroomMedia
import Synchronization

/// The input of a check: a plugin, and the means to run it.
///
/// Threads: the check's own thread.
final class Examination: Sendable {
    let library: String
    let descriptor: PluginDescriptor
    /// All settings, given or default.
    let settings: [PluginSetting]
    let confinement: Confinement
    /// The seed of all random input.
    let seed: UInt64
    /// Whether the user declared the video to be still or of one colour.
    let isStill: Bool
    /// The request to the check's process.
    let request: CheckRequest
    /// The progress so far.
    let progress: CheckProgress
    private let offTheClock = Atomic(false)

    init(
        library: String, descriptor: PluginDescriptor, settings: [PluginSetting],
        confinement: Confinement, seed: UInt64, isStill: Bool = false, request: CheckRequest,
        progress: CheckProgress
    ) {
        self.request = request
        self.progress = progress
        self.library = library
        self.descriptor = descriptor
        self.settings = settings
        self.confinement = confinement
        self.seed = seed
        self.isStill = isStill
    }

    /// Whether the plugin does not wait on the session clock. Checks then use real time.
    var isOffClock: Bool {
        get { offTheClock.load(ordering: .relaxed) }
        set { offTheClock.store(newValue, ordering: .relaxed) }
    }

    /// A reproducible generator, different for each purpose.
    func random(_ purpose: UInt64 = 0) -> SeededRandom { SeededRandom(seed &+ purpose &* 0x9E37) }

    /// Starts a process with only the sandbox.
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
        // The scan in another process has found the plugin.
        guard description.descriptors.contains(descriptor) else {
            throw .hindered(
                by: "load.steadfast",
                "\(descriptor.name) is not in the library each time, or not the same")
        }
        return description
    }

    /// Makes a fixture to run the plugin in its own process.
    ///
    /// - Parameters:
    ///   - clock: The clock: virtual unless the check needs real time.
    ///   - settings: The settings; nil if the user's.
    ///   - withheld: The host extension to hide; nil if none.
    ///   - leases: The watch of the plugin's leases; nil if none.
    func fixture(
        on clock: ClockKind = .virtual, settings: [PluginSetting]? = nil,
        withholding withheld: String? = nil, leases: LeaseWatch? = nil
    ) throws(Verdict) -> Fixture {
        fixture(
            in: try process(), on: clock, settings: settings, withholding: withheld,
            leases: leases)
    }

    /// Makes a fixture in a process that has loaded the plugin.
    func fixture(
        in process: SharedProcess, on clock: ClockKind = .virtual, settings: [PluginSetting]? = nil,
        withholding withheld: String? = nil, leases: LeaseWatch? = nil
    ) -> Fixture {
        Fixture(
            self, process, HarnessClock(clock), settings: settings ?? self.settings,
            withholding: withheld, leases: leases)
    }

    /// Runs a check on the virtual clock. If the plugin does not use that clock and does not pass,
    /// repeats the check on the real clock.
    func onItsClock(_ look: (Fixture) throws(Verdict) -> Verdict) throws(Verdict) -> Verdict {
        let fixture = try fixture()
        let verdict: Verdict
        do throws(Verdict) {
            verdict = try look(fixture)
        } catch {
            verdict = error
        }
        // A lost process is lost on any clock.
        guard fixture.clock.isOffClock(), verdict.outcome != .passed, verdict.outcome != .crashed
        else {
            return verdict
        }
        return try look(self.fixture(on: .real))
    }

    /// Makes another fixture in the same process and on the same clock.
    ///
    /// - Parameters:
    ///   - number: The number of the fixture. The first fixture has 0.
    ///   - settings: The settings; nil if the user's.
    ///   - leases: The watch of the plugin's leases; nil if none.
    func fixture(
        beside first: Fixture, number: Int, settings: [PluginSetting]? = nil,
        leases: LeaseWatch? = nil
    ) -> Fixture {
        Fixture(
            self, first.process, first.clock, number: number,
            settings: settings ?? self.settings, withholding: nil, leases: leases)
    }
}

/// A generator with equal numbers for equal seeds: SplitMix64.
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
