import GreenroomHarness
import GreenroomSession
import GreenroomMedia

extension Catalogue {
    /// What a block may be.
    static let soundBlocks = Check(
        "sound.blocks", "every block is one that can be sent", of: .sounds,
        proving: """
            Listens for ten seconds of session time. No block is empty or longer than 100 ms \
            (GR_MAX_BLOCK_MS), none has fewer bytes than its frame_count and channels need, and none \
            has a NULL, an odd address or a struct_size that is too small. The host refuses such a \
            block whole, so that its sound is lost.
            """
    ) { examination throws(Verdict) in
        let take = try examination.listen(seconds: 10)
        let faults: [(status: Status, fault: (TracedBlock) -> String)] = [
            (
                .badBlock,
                { block in
                    let milliseconds = Int(block.frames) * 1000 / max(Int(block.sampleRate), 1)
                    return block.frames == 0
                        ? "are empty: send nothing where there is nothing"
                        : "have \(block.frames) frames, which is \(milliseconds) ms, and 100 ms "
                            + "is the most: send smaller blocks"
                }
            ),
            (
                .badLength,
                { block in
                    "have a size_bytes that is less than frame_count * channels * 2 "
                        + "(\(Int(block.frames) * Int(block.channels) * 2)): set it to the bytes "
                        + "that samples has"
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
