import GreenroomValidator
import Synchronization
import TestSupport
import Testing

/// The validator in an author's own tests.
@Suite(.ownThreads) struct ValidatorTests {
    private func validate(
        _ plugin: String, _ change: (inout Validator.Options) -> Void = { _ in }
    ) throws -> [ConformanceReport] {
        var options = Validator.Options()
        options.only = ["lifecycle.whole-life"]
        change(&options)
        return try Validator().validate("\(Checkout.products)/lib\(plugin).so", options)
    }

    private func problem(
        _ plugin: String, _ change: (inout Validator.Options) -> Void = { _ in }
    ) -> String? {
        do {
            _ = try validate(plugin, change)
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test func `a correct plugin conforms`() throws {
        let report = try #require(try validate("ColorBars").first)
        #expect(report.conforms)
        #expect(report.plugin == "org.greenroom.color-bars")
        #expect(report.results.map(\.outcome) == [.passed])
        #expect(!report.isComplete)
        #expect(report.sha256.count == 64)
    }

    @Test func `each plugin of a library has a separate report`() throws {
        let reports = try validate("Tone")
        #expect(Set(reports.map(\.name)) == ["Tone", "ToneShareAudio"])
        let one = try validate("Tone") { $0.plugin = "ToneShareAudio" }
        #expect(one.map(\.kind) == ["share audio source"])
    }

    @Test func `results have the order of the catalogue`() throws {
        let told = Told()
        var options = Validator.Options()
        options.only = ["lifecycle"]
        options.plugin = "Tone"
        let reports = try Validator().validate(
            "\(Checkout.products)/libTone.so", options
        ) { _, result in told.take(result.check) }
        #expect(told.checks == reports.first?.results.map(\.check))
        let all = Validator.checks.filter { check in
            check.id.hasPrefix("lifecycle.") && check.kinds.contains("virtual mic")
        }.map(\.id)
        #expect(told.checks == all)
    }

    @Test func `the user's seed is used and reported`() throws {
        #expect(try validate("Adjust") { $0.seed = 4711 }.map(\.seed) == [4711])
    }

    @Test func `an invalid request is reported with the fix`() throws {
        #expect(problem("Nix")?.contains("libNix.so: No such file") == true)
        #expect(
            problem("Tone") { $0.plugin = "Tony" }?.contains("It has: Tone, ToneShareAudio") == true
        )
        #expect(problem("Tone") { $0.only = ["nix"] }?.contains("--list shows all") == true)
        #expect(
            problem("Tone") { $0.settings = ["nix": "1"] }?
                .contains("Tone has no such setting") == true)
        #expect(
            problem("Tone") { $0.settings = ["frequency": "loud"] }?
                .contains("setting frequency") == true)
        #expect(problem("WaveFile")?.contains("requires this setting") == true)
        #expect(throws: ValidatorError.self) { try Validator(program: "/nowhere/greenroom") }
    }

    @Test func `every check has a unique name and a description`() {
        let checks = Validator.checks
        #expect(Set(checks.map(\.id)).count == checks.count)
        for check in checks {
            #expect(check.id.wholeMatch(of: /[a-z]+(-[a-z]+)*\.[a-z0-9]+(-[a-z0-9]+)*/) != nil)
            #expect(!check.title.isEmpty && check.title.count <= 60, "\(check.id)")
            let text = [check.rule, check.why, check.fix]
            #expect(text.allSatisfy { $0.hasSuffix(".") }, "\(check.id)")
            let words = text.joined(separator: " ").split(separator: " ").count
            #expect((12...75).contains(words), "\(check.id): \(words) words")
            #expect(check.measured.split(separator: " ").count <= 60, "\(check.id)")
            #expect(!check.kinds.isEmpty, "\(check.id)")
        }
    }

    @Test func `a report survives serialisation`() throws {
        let report = try #require(try validate("ColorBars").first)
        let again = try #require(ConformanceReport(json: report.json))
        #expect(again.json == report.json)
        #expect(ConformanceReport(json: "{}") == nil)
    }
}

private final class Told: Sendable {
    private let state = Mutex<[String]>([])

    func take(_ check: String) { state.withLock { $0.append(check) } }
    var checks: [String] { state.withLock { $0 } }
}
