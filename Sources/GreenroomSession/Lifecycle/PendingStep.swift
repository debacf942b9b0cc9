package import GreenroomMedia
import GreenroomRuntime

extension PluginInstance {
    /// How a step ended.
    package enum StepResult: Equatable, Sendable {
        case done
        /// The plugin refused, or returned something that breaks a rule; why.
        case failed(Status, String)
        /// The lifecycle has no such step from this state.
        case illegal(LifecycleState)
    }

    /// A step that was begun.
    package struct PendingStep: Sendable {
        /// Which one.
        package let step: LifecycleStep
        private let result: Monitor<StepResult?>

        /// - Parameter result: How it ended; nil if it has not.
        init(_ step: LifecycleStep, result: StepResult? = nil) {
            self.step = step
            self.result = Monitor(result)
        }

        func end(_ result: StepResult) { self.result.change { $0 = result } }

        /// Waits for the end.
        ///
        /// - Parameter deadline: Monotonic nanoseconds.
        /// - Returns: nil if the deadline passed first.
        func wait(until deadline: Int64) -> StepResult? {
            result.wait(until: deadline) { $0 }
        }
    }
}
