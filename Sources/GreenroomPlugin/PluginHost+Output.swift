public import GreenroomMedia

// What an output says of itself. Wraps `GR_EXT_OUTPUT_HOST`.

extension PluginHost {
    /// Sets a value of the output in the session's report; the last one of a name counts.
    ///
    /// - Parameters:
    ///   - name: Of a–z, 0–9 and `-`, e.g. `"bytes-written"`; an output has up to 32 names.
    ///   - value: A number.
    /// - Returns: `Status.ok`; `Status.unsupported` if the plugin is no output; else why the host
    ///   refused the name.
    @discardableResult
    public func report(_ name: String, _ value: Double) -> Status {
        Status(rawValue: table.report(name, value))
    }

    /// The same of a whole number.
    @discardableResult
    public func report(_ name: String, _ value: some BinaryInteger) -> Status {
        report(name, Double(value))
    }
}
