import GreenroomHarness
import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    /// The validity of blocks.
    static let audioBlocks = Check(
        "audio.blocks", "every block is valid", of: .audioSources,
        rule: """
            Every block has 1 to 100 ms of samples (GR_MAX_BLOCK_MS), enough bytes, an \
            even address and the full struct_size.
            """,
        why: "The host refuses any other block as a whole, and its audio is lost.",
        measured: "Each block of ten seconds of session time, against frame_count and channels.",
        fix: "Compute the bytes from frame_count and channels, and split longer blocks."
    ) { examination throws(Verdict) in
        let take = try examination.listen(seconds: 10)
        let faults: [(status: Status, fault: (TracedBlock) -> String)] = [
            (
                .badBlock,
                { block in
                    let milliseconds = Int(block.frames) * 1000 / max(Int(block.sampleRate), 1)
                    return block.frames == 0
                        ? "are empty: don't send empty blocks"
                        : "have \(block.frames) frames, which is \(milliseconds) ms; 100 ms "
                            + "is the most: send smaller blocks"
                }
            ),
            (
                .badLength,
                { block in
                    "have a size_bytes that is less than frame_count * channels * 2 "
                        + "(\(Int(block.frames) * Int(block.channels) * 2)): set size_bytes to the "
                        + "length of samples in bytes"
                }
            ),
            (
                .badArgument,
                { _ in
                    "are NULL, have no samples, samples at an odd address or a struct_size that is "
                        + "too small: set struct_size to sizeof(gr_audio_block), and samples to an "
                        + "array of int16_t"
                }
            ),
        ]
        for (status, fault) in faults {
            guard let first = take.sends.first(where: { $0.status == status }) else { continue }
            throw .failed(
                "\(take.refused(with: status)) of \(take.sends.count) blocks "
                    + "\(fault(first.block))")
        }
        let lengths = take.accepted.map { Int($0.block.frames) }
        let (least, most) = (lengths.min() ?? 0, lengths.max() ?? 0)
        return .passed(
            least == most ? "blocks of \(most) frames" : "blocks of \(least) to \(most) frames")
    }
}
