import GreenroomConversion
import GreenroomMedia
import GreenroomRuntime

/// Passes: frames that go from the process of one filter to that of the next.
extension FilterChain {
    /// Tells a filter what to edit, and those after it that can get its frame from it.
    ///
    /// - Parameters:
    ///   - own: In the filter's memory, the only reference.
    ///   - remote: The filter, whose call has been entered.
    ///   - limit: Of filters.
    mutating func pass(
        _ own: consuming VideoFrame, in remote: any RemoteFilter, of index: Int,
        as frames: VideoCapability, with converter: FrameConverter, limit: Int
    ) -> FilterPass {
        lastPass = lastPass % (1 << 31 - 1) + 1
        var pass = FilterPass(lastPass, first: remote)
        var frame = own
        var remote = remote
        remote.put(frame)
        links[index].trust.countFrame()
        for next in links.indices[(index + 1)...].prefix(limit - 1) {
            guard !links[next - 1].runner.filter.isRequired, links[next - 1].trust.allowsPass,
                let editing = links[next].runner.filter.editing, let following = editing.remote,
                case .shared(let pool) = editing.memory, !isBusy(next),
                hasFollowed(next, editing, frames), following.canFollow(remote),
                // What can't be converted is an error of the next filter's own step.
                let color = try? converter.colorUnconverted(frame, for: editing.want),
                var copy = pool.take(.i420, frame.size), following.enter()
            else { break }
            copy.info = frame.info
            copy.info.color = color
            guard following.put(copy, from: frame, of: remote) else {
                following.leave()
                break
            }
            links[next].begin(in: pool)
            links[next].trust.countFrame()
            pass.append(frame, in: remote)
            frame = copy
            remote = following
        }
        pass.append(frame, in: remote)
        return pass
    }

    /// What became of a pass.
    ///
    /// - Parameters:
    ///   - index: Its first filter; afterwards the one whose step is returned.
    ///   - original: What the first filter's frame was copied from; nil if it was not.
    mutating func finish(
        _ pass: inout FilterPass, _ index: inout Int, _ original: consuming VideoFrame?,
        at nanoseconds: Int64, since begun: Int64, until end: Int64, hang: Int64
    ) -> Step {
        let first = index
        var original = original
        for place in 0..<pass.count {
            guard let frame = pass.takeFrame(place) else { continue }
            // The last one may have returned before its turn, or be lost.
            let result = pass.result(of: place, until: end)
            if result == .notBegun, let before = original.take() {
                // The one before has edited the frame, but did not pass it on: it has called the host, say.
                dismiss(&pass, after: place, first)
                return .edited(before)
            }
            if place > 0 {
                noteEdit(by: index, at: nanoseconds)
                index += 1
            }
            if case .returned(.ok) = result, place < pass.count - 1 {
                original = consume frame
                continue
            }
            dismiss(&pass, after: place, first)
            if case .returned(let status) = result {
                return step(.returned(frame, status), of: index, original, hang: hang)
            }
            // It calls the host, or is late, or the one before has kept the frame from it.
            let now = clock.now
            let remote = pass.remote(place)
            if remote.callsHost { links[index].trust.didFail() }
            if place > 0, pass.cancel(place) { links[index - 1].trust.didFail() }
            let outcome = links[index].runner.finish(
                frame, in: remote, since: place == 0 ? begun : now, until: end)
            return step(
                outcome, of: index, original,
                hang: place == 0 ? hang : clock.deadline(after: hangNanoseconds))
        }
        return .lost
    }

    /// Ends the calls of the filters of a pass after one that has not passed it on.
    private mutating func dismiss(_ pass: inout FilterPass, after place: Int, _ first: Int) {
        for place in (place + 1)..<pass.count {
            guard let frame = pass.takeFrame(place), pass.result(of: place, until: .min) == nil
            else { continue }
            _ = pass.cancel(place)
            links[first + place].runner.abandon(frame, in: pass.remote(place))
            links[first + place].isLate = true
        }
    }
}
