package import GreenroomMedia
package import GreenroomRuntime

/// A plugin that edits the audio of a track.
package protocol AudioFilter: AnyObject, Sendable {
    /// The name of the filter's thread in debuggers.
    var name: String { get }
    /// The order of the filter's thread on a virtual clock.
    var clockOrder: ClockOrder { get }
    /// Whether silence replaces audio that the filter did not edit.
    var isRequired: Bool { get }
    /// Returns the time after which the filter counts as hung, in nanoseconds.
    ///
    /// - Parameter session: The time for filters without one.
    func deadline(_ session: Int64) -> Int64
    /// The declaration of the filter's newest life; nil before the first. [any]
    var declared: AudioEditing? { get }
    /// The filter's declaration; nil while the filter receives no audio. [any]
    var audioEditing: AudioEditing? { get }

    /// Edits a block. [the filter's media thread]
    func process(_ block: inout AudioEdit) -> Status

    /// Abandons the filter, whose call has run for `nanoseconds` of real time. [the mixer's thread]
    ///
    /// - Returns: Whether the filter is abandoned; false while a debugger is attached.
    func giveUp(hungFor nanoseconds: Int64) -> Bool

    /// Logs a text about the filter. [the mixer's thread]
    func tell(_ text: String)
}

/// A block for a filter: 10 ms of 48 kHz.
package struct AudioEdit: ~Copyable, Sendable {
    /// The number of channels, 1 or 2.
    package private(set) var channels = 2
    /// The due time of the first sample, on the session clock.
    package private(set) var ptsNanoseconds: Int64 = 0
    /// Whether the block has a reference.
    package private(set) var hasReference = false
    // Room for both channels; allocated once.
    private var samples = [Int16](repeating: 0, count: AudioEditing.blockFrames * 2)
    private var reference = [Int16](repeating: 0, count: AudioEditing.blockFrames * 2)

    package init() {}

    /// The number of samples, of all channels.
    package var sampleCount: Int { AudioEditing.blockFrames * channels }

    /// Fills the block.
    ///
    /// - Parameters:
    ///   - stereo: 480 stereo frames.
    ///   - reference: 480 stereo frames of incoming audio; nil if there is none.
    mutating func fill(
        _ stereo: [Int16], reference: [Int16]?, for editing: AudioEditing,
        at ptsNanoseconds: Int64
    ) {
        channels = editing.channels
        self.ptsNanoseconds = ptsNanoseconds
        Self.copy(stereo, to: &samples, channels: channels)
        hasReference = false
        guard editing.takesReference, let reference else { return }
        hasReference = true
        Self.copy(reference, to: &self.reference, channels: channels)
    }

    private static func copy(_ stereo: [Int16], to samples: inout [Int16], channels: Int) {
        guard channels == 1 else {
            for index in 0..<(AudioEditing.blockFrames * 2) { samples[index] = stereo[index] }
            return
        }
        for frame in 0..<AudioEditing.blockFrames {
            let sum = Int32(stereo[frame * 2]) + Int32(stereo[frame * 2 + 1])
            samples[frame] = Int16(truncatingIfNeeded: sum >> 1)
        }
    }

    /// Writes the edited samples as 480 stereo frames.
    func write(to stereo: inout [Int16]) {
        for frame in 0..<AudioEditing.blockFrames {
            stereo[frame * 2] = samples[frame * channels]
            stereo[frame * 2 + 1] = samples[frame * channels + channels - 1]
        }
    }

    /// Calls `body` with the samples and the reference; the reference is nil if there is none.
    package mutating func withSamples<Result>(
        _ body: (
            _ samples: UnsafeMutableBufferPointer<Int16>, _ reference: UnsafeBufferPointer<Int16>?
        ) -> Result
    ) -> Result {
        let (count, hasReference, reference) = (sampleCount, hasReference, reference)
        return reference.withUnsafeBufferPointer { reference in
            samples.withUnsafeMutableBufferPointer { samples in
                body(
                    UnsafeMutableBufferPointer(rebasing: samples[..<count]),
                    hasReference ? UnsafeBufferPointer(rebasing: reference[..<count]) : nil)
            }
        }
    }
}
