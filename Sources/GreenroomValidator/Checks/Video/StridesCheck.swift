import GreenroomHarness
import GreenroomLifecycle
import GreenroomMedia

extension Catalogue {
    /// Compares the frames of two runs that differ only in the stride of leased frames.
    static let strides = Check(
        "video.strides", "rows follow the stride", of: .videoSources,
        rule: "Rows of a leased frame are stride_bytes apart.",
        why: """
            The stride may exceed the row's length. A plugin that assumes packed rows \
            shows a sheared picture.
            """,
        measured: """
            The same frames on the virtual clock with longer strides; the pictures must be \
            the same.
            """,
        fix: "Compute each row's address from stride_bytes."
    ) { examination throws(Verdict) in
        switch try examination.compareStrides() {
        case .honoured: return .passed()
        case .leasesNothing: throw .skipped("sends its own memory and leases nothing")
        case .cannotTell:
            throw .skipped("its frames differ each time: cannot compare them")
        case .ignored(let frame):
            return .failed(
                "frame \(frame) differs when the stride is \(extraStrideBytes) bytes "
                    + "longer: begin row n of a plane at data + n * stride_bytes")
        }
    }

    fileprivate static let extraStrideBytes = 192
}

/// The result of a longer stride.
enum StrideTrial {
    case leasesNothing
    case honoured
    /// The number of the first frame that differs.
    case ignored(frame: Int)
    case cannotTell
}

extension Examination {
    func compareStrides() throws(Verdict) -> StrideTrial {
        let tight = try frames(extraStrideBytes: 0)
        guard tight.hasLeased else { return .leasesNothing }
        let wide = try frames(extraStrideBytes: Catalogue.extraStrideBytes)
        guard let first = tight.firstDifference(from: wide) else { return .honoured }
        let again = try frames(extraStrideBytes: 0)
        return tight.firstDifference(from: again) == nil ? .ignored(frame: first) : .cannotTell
    }

    private struct Frames {
        var hasLeased: Bool
        var digests: [UInt64]

        /// The first frame that differs; nil if none.
        func firstDifference(from other: Frames) -> Int? {
            zip(digests, other.digests).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        }
    }

    private func frames(extraStrideBytes: Int) throws(Verdict) -> Frames {
        let watch = watch(extraStrideBytes: extraStrideBytes, isClosed: false)
        let fixture = try show(scenario(LeaseTrial.rows[0], seconds: 0.5, leases: watch))
        return Frames(
            hasLeased: watch.count > 0, digests: try fixture.frames(atLeast: 1).map(\.digest))
    }
}
