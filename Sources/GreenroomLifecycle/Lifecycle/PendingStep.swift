package import GreenroomModel
package import GreenroomMedia
import GreenroomRuntime

extension PluginInstance {
    /// The result of a step.
    package enum StepResult: Equatable, Sendable {
        case done
        /// The plugin refused the step or returned a value that breaks a rule, for the given
        /// reason.
        case failed(Status, FailureReason)
        /// The lifecycle does not allow the step in this state.
        case illegal(LifecycleState)
    }

    /// A step in progress.
    package struct PendingStep: Sendable {
        /// The step.
        package let step: LifecycleStep
        private let result: Monitor<StepResult?>

        /// - Parameter result: The step's result; nil while the step runs.
        init(_ step: LifecycleStep, result: StepResult? = nil) {
            self.step = step
            self.result = Monitor(result)
        }

        func end(_ result: StepResult) { self.result.change { $0 = result } }

        /// Waits for the result.
        ///
        /// - Parameter deadline: The time on the clock at which the wait ends.
        /// - Returns: The result; nil after the deadline.
        func wait(until deadline: Int64, on clock: HostClock) -> StepResult? {
            result.wait(until: deadline, on: clock) { $0 }
        }
    }
}
