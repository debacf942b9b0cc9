package import GreenroomDecisions
import GreenroomLifecycle
import GreenroomMedia
package import GreenroomModel

extension SessionPlan {
    /// The outcome of a session in which some plugins fail in each life, and the others work. Programs connect.
    ///
    /// - Parameter failures: The failures, by the plugin's address.
    /// - Returns: The outcome; nil if the session would continue, or would end as planned.
    package func outcome(
        ofFailures failures: [PluginAddress: StartForecast.Failure]
    ) -> SessionReport.Outcome? {
        let plugins = plugins
        let numbered = Array(plugins.enumerated())
        let forecast = StartForecast(
            Dictionary(
                uniqueKeysWithValues: numbered.map {
                    (
                        $0,
                        PluginEntry.Facts(
                            $1.plugin, at: $1.address, as: "\($1.address)", in: configuration)
                    )
                }),
            failures: Dictionary(
                uniqueKeysWithValues: numbered.compactMap { number, plugin in
                    failures[plugin.address].map { (number, $0) }
                }),
            hasOtherOutputs: configuration.outputs.count > outputs.count,
            duration: configuration.duration?.nanoseconds)
        guard forecast.outcome == .finished else {
            return forecast.outcome.map { SessionReport.Outcome($0) }
        }
        let absent = Set(forecast.absent.map { plugins[$0].address })
        let real = slots.filter { slot in
            !absent.contains(PluginAddress(slot.role))
                && !slot.plugins.contains { address, plugin in
                    // Unedited video counts as real only if the session file allows the filter to be missing.
                    absent.contains(address)
                        && (plugin.configuration.isRequired || plugin.onFailure == .restart)
                }
        }
        let short = SessionReport.fallsShort(
            Dictionary(uniqueKeysWithValues: real.map { ($0.role.rawValue, 100) }), in: self)
        return short.isEmpty ? nil : .notReal
    }
}
