package import GreenroomConversion
package import GreenroomMedia

/// One life of a filter in a process of its own, which the track's thread calls itself. [the track's thread]
///
/// A call is ``enter()``, a frame, ``begin(in:next:)``, and ``result(until:)`` until it is not nil, or
/// ``finish()`` on another thread.
package protocol RemoteFilter: AnyObject, Sendable {
    /// Begins a call; false if another one runs or none is allowed.
    func enter() -> Bool

    /// Ends a call that has not begun.
    func leave()

    /// Whether its process can get frames from another filter's.
    func canFollow(_ previous: any RemoteFilter) -> Bool

    /// Says what it is to edit.
    ///
    /// - Parameter frame: Upright I420 in the filter's memory, the only reference.
    func put(_ frame: borrowing VideoFrame)

    /// Says what it is to edit: a copy, which its process makes, of what the filter before has edited.
    ///
    /// - Parameters:
    ///   - frame: For the copy: in the filter's memory, of the source's form, the only reference.
    ///   - source: The frame of the filter before.
    ///   - previous: The filter before, which ``canFollow(_:)`` allows.
    /// - Returns: Whether that one is still there.
    func put(
        _ frame: borrowing VideoFrame, from source: borrowing VideoFrame,
        of previous: any RemoteFilter
    ) -> Bool

    /// Lets it edit the frame: at once, or when the filter before has edited its own.
    ///
    /// - Parameters:
    ///   - pass: The number of the frame's pass; 0 if the frame comes back to the host and no filter is before.
    ///   - next: The filter after it in the pass; nil for the last one.
    func begin(in pass: UInt32, next: (any RemoteFilter)?)

    /// Waits for the end of the call.
    ///
    /// - Parameter deadline: When to stop waiting, in real time.
    /// - Returns: nil if it has not ended, or the filter calls the host.
    func result(until deadline: Int64) -> EditResult?

    /// Whether the filter waits for the host to serve a call that it has made while it edits.
    var callsHost: Bool { get }

    /// Lets it not begin with the frame of a pass, unless it has begun.
    ///
    /// - Returns: Whether the filter before has said nothing of that frame.
    func cancel(pass: UInt32) -> Bool

    /// Serves the filter's calls of the host, and waits for the end of the call. [the filter's media thread]
    func finish() -> EditResult
}

/// What became of a frame in a filter's process.
package enum EditResult: Equatable, Sendable {
    /// The filter returned it.
    case returned(Status)
    /// The filter has not got it: the one before did not edit it.
    case notBegun
}
