package import GreenroomModel
package import GreenroomMedia
import GreenroomRuntime

extension PluginInstance {
    /// The result of a step.
    package enum StepResult: Equatable, Sendable {
        case done
        /// The plugin refused it, or returned something that breaks a rule; with the reason.
        case failed(Status, FailureReason)
        /// The lifecycle does not allow the step in this state.
        case illegal(LifecycleState)
    }

    /// A step in progress.
    package struct PendingStep: Sendable {
        /// The step.
        package let step: LifecycleStep
        private let result: Monitor<StepResult?>

        /// - Parameter result: Its result; nil while it runs.
        init(_ step: LifecycleStep, result: StepResult? = nil) {
            self.step = step
            self.result = Monitor(result)
        }

        func end(_ result: StepResult) { self.result.change { $0 = result } }

        /// Waits for the result.
        ///
        /// - Parameter deadline: On the clock.
        /// - Returns: nil after the deadline.
        func wait(until deadline: Int64, on clock: HostClock) -> StepResult? {
            result.wait(until: deadline, on: clock) { $0 }
        }
    }
}
