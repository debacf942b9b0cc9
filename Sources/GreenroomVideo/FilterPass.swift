import GreenroomConversion
import GreenroomMedia

/// A frame's way through the processes of filters in a row. Each but the first copies it from the memory of the
/// one before, which wakes it; the host waits for the last.
struct FilterPass: ~Copyable {
    /// The most filters of a pass.
    static let limit = 8

    /// Below 2^31.
    private let number: UInt32
    private var remotes: InlineArray<8, any RemoteFilter>
    private var frames: InlineArray<8, VideoFrame?> = InlineArray { _ in nil }
    private(set) var count = 0
    /// What became of the last filter's frame; nil while it is not known.
    private var ended: EditResult?

    /// Begins without filters.
    init(_ number: UInt32, first: any RemoteFilter) {
        self.number = number
        remotes = InlineArray(repeating: first)
    }

    /// Adds a filter, which has been told what to edit.
    mutating func append(_ frame: consuming VideoFrame, in remote: any RemoteFilter) {
        remotes[count] = remote
        frames[count] = consume frame
        count += 1
    }

    /// Lets the filters edit the frame, and waits for the last one.
    ///
    /// - Parameter deadline: When to stop waiting, in real time.
    mutating func run(until deadline: Int64) {
        let pass = count > 1 ? number : 0
        // The first one is told at the end, when the others expect its frame.
        for place in (0..<count).reversed() {
            remotes[place].begin(in: pass, next: place + 1 < count ? remotes[place + 1] : nil)
        }
        ended = remotes[count - 1].result(until: deadline)
    }

    /// What became of a filter's frame; nil while it has it, or waits for it. Ask once.
    ///
    /// - Parameter deadline: When to stop waiting, in real time.
    func result(of place: Int, until deadline: Int64) -> EditResult? {
        place == count - 1 ? ended : remotes[place].result(until: deadline)
    }

    /// A filter that has the frame, or waits for it.
    func remote(_ place: Int) -> any RemoteFilter { remotes[place] }

    /// Takes out a filter's frame.
    mutating func takeFrame(_ place: Int) -> VideoFrame? { frames[place].take() }

    /// Lets a filter not begin, unless it has.
    ///
    /// - Returns: Whether the filter before has kept the frame from it so far.
    func cancel(_ place: Int) -> Bool { remotes[place].cancel(pass: number) }
}
