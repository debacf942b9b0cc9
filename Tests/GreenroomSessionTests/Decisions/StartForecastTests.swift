import GreenroomModel
import GreenroomPluginInterface
import Testing

@testable import GreenroomDecisions

/// The end of a session in which plugins fail in each life, as `check` reports it.
@Suite struct StartForecastTests {
    private typealias Facts = PluginEntry.Facts

    private static let camera = 0
    private static let microphone = 1
    private static let filter = 2
    private static let output = 3

    private static func facts(
        _ camera: FailurePolicy, output: FailurePolicy, connects: Bool, isNeeded: Bool
    ) -> [Int: Facts] {
        [
            Self.camera: Facts(
                role: "camera", track: .camera, isSource: true, onFailure: camera,
                connects: connects),
            microphone: Facts(role: "microphone", isSource: true),
            filter: Facts(role: "camera.pre-processors[0]"),
            Self.output: Facts(
                role: "outputs[0]", isCall: isNeeded, takesTracks: true, onFailure: output,
                isNeeded: isNeeded),
        ]
    }

    struct Row: Sendable {
        var failing: [Int]
        var step = LifecycleStep.create
        var cause = PluginFailure.Cause.other
        var policy = FailurePolicy.restart
        var output = FailurePolicy.restart
        var connects = false
        var isNeeded = false
        var seconds: Int64? = 5
        let outcome: SessionOutcome?
        var absent: Set<Int> = []
    }

    @Test(
        arguments: [
            Row(failing: [], outcome: .finished),
            Row(failing: [], seconds: nil, outcome: nil),
            // The host restarts the source for 15.5 s, and then continues without it.
            Row(failing: [camera], outcome: .finished, absent: [camera]),
            Row(failing: [camera], step: .initialize, outcome: .finished, absent: [camera]),
            Row(failing: [camera], step: .startSend, outcome: .finished, absent: [camera]),
            Row(failing: [camera], seconds: nil, outcome: nil, absent: [camera]),
            Row(failing: [camera], policy: .off, outcome: .finished, absent: [camera]),
            Row(
                failing: [camera], policy: .end, outcome: .pluginFailed(role: "camera"),
                absent: []),
            Row(failing: [filter], outcome: .finished, absent: [filter]),
            // Without any source, the session ends.
            Row(
                failing: [camera, microphone], outcome: .finished, absent: [camera, microphone]),
            Row(
                failing: [camera, microphone], seconds: 20, outcome: .pluginFailed(role: nil),
                absent: [camera, microphone]),
            Row(
                failing: [camera, microphone], seconds: nil, outcome: .pluginFailed(role: nil),
                absent: [camera, microphone]),
            // A new life would not help.
            Row(
                failing: [camera], cause: .badSettings, policy: .off,
                outcome: .badSetting(role: "camera")),
            Row(failing: [camera], cause: .brokenRule, outcome: .badPlugin(role: "camera")),
            Row(
                failing: [camera], cause: .brokenRule, policy: .off,
                outcome: .badPlugin(role: "camera")),
            Row(
                failing: [output], cause: .brokenRule, output: .off,
                outcome: .badPlugin(role: "outputs[0]")),
            Row(failing: [camera], cause: .noProcess, outcome: .pluginFailed(role: "camera")),
            // The only output.
            Row(failing: [output], outcome: .outputsFailed, absent: [output]),
            Row(failing: [output], output: .off, outcome: .outputsFailed, absent: [output]),
            Row(
                failing: [output], output: .off, seconds: nil, outcome: .outputsFailed,
                absent: [output]),
            Row(failing: [output], isNeeded: true, outcome: .outputsFailed),
            // A program that has not connected yet does not fail.
            Row(failing: [camera], connects: true, outcome: .finished),
        ])
    func `a plugin that fails in each life leads to the end that the session's rules decide`(
        row: Row
    ) {
        let forecast = StartForecast(
            Self.facts(
                row.policy, output: row.output, connects: row.connects, isNeeded: row.isNeeded),
            failures: Dictionary(
                uniqueKeysWithValues: row.failing.map {
                    ($0, .init(row.step, PluginFailure(step: "fails", cause: row.cause)))
                }),
            hasOtherOutputs: false, duration: row.seconds.map { $0 * 1_000_000_000 })
        #expect(forecast.outcome == row.outcome, "\(row)")
        #expect(forecast.absent.isSuperset(of: row.absent), "\(row)")
    }

    @Test func `an output beside a failed one keeps the session`() {
        let forecast = StartForecast(
            Self.facts(.restart, output: .off, connects: false, isNeeded: false),
            failures: [Self.output: .init(.initialize, PluginFailure())], hasOtherOutputs: true,
            duration: 1_000_000_000)
        #expect(forecast.outcome == .finished && forecast.absent == [Self.output])
    }
}
