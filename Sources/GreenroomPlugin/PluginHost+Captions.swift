import GreenroomMedia

// The captions of the session. Wraps `GR_EXT_CAPTIONS_HOST`.

extension PluginHost {
    /// Adds a caption to the session: recordings and viewers show what somebody has said.
    ///
    /// A plugin of any kind may call it while it sends. Send a sentence when it is final: a caption can't be
    /// changed.
    ///
    /// - Parameters:
    ///   - text: 1 to 1,000 bytes.
    ///   - speaker: The speaker's name; nil if unknown.
    ///   - start: The start of the caption, in nanoseconds on the session clock.
    ///   - end: The end of the caption: up to a minute after the start.
    /// - Throws: The host's refusal. `Status.unsupported` for a host before minor 3.
    public func addCaption(
        _ text: String, speaker: String? = nil, from start: Int64, to end: Int64
    ) throws(SendRefusal) {
        try table.check(table.add(caption: text, speaker: speaker, from: start, to: end))
    }
}
