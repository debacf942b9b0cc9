import GreenroomABI
import GreenroomMedia
import Testing

/// The Swift enumerations have exactly the header's values.
@Suite struct EnumerationTests {
    let header: Header

    init() throws { header = try Header() }

    @Test func `Swift's statuses have the names and values of the header`() {
        let inSwift = Dictionary(
            Status.all.map { ($0.name, Int($0.status.rawValue)) }, uniquingKeysWith: { $1 })
        #expect(inSwift.count == Status.all.count, "a name appears twice in Status.all")
        #expect(inSwift == header.enumerators("GR_STATUS_"))
    }

    @Test func `a status is written as its name in the header`() {
        for (name, value) in header.enumerators("GR_STATUS_") {
            #expect(Int32(exactly: value).map { "\(Status(rawValue: $0))" } == name)
        }
    }

    @Test func `Swift's pixel formats have the names and values of the header`() {
        let inSwift = PixelFormat.allCases.map { ($0.name.uppercased(), Int($0.rawValue)) }
        #expect(
            Dictionary(inSwift, uniquingKeysWith: { $1 }) == header.enumerators("GR_FORMAT_"))
    }

    @Test func `Swift's plugin kinds have the names and values of the header`() {
        let inSwift = PluginKind.allCases.map { ("\($0)".snakeCase, Int($0.rawValue)) }
        #expect(Dictionary(inSwift, uniquingKeysWith: { $1 }) == header.enumerators("GR_KIND_"))
    }

    @Test func `Swift's colour ranges have the names and values of the header`() {
        let inSwift = ColorRange.allCases.map { ("\($0)".uppercased(), Int($0.rawValue)) }
        #expect(Dictionary(inSwift, uniquingKeysWith: { $1 }) == header.enumerators("GR_RANGE_"))
    }

    @Test func `Swift's colour matrices have the names and values of the header`() {
        let inSwift = ColorMatrix.allCases.map { ("\($0)".uppercased(), Int($0.rawValue)) }
        #expect(Dictionary(inSwift, uniquingKeysWith: { $1 }) == header.enumerators("GR_MATRIX_"))
    }

    @Test func `a rotation's value is its angle in degrees`() {
        #expect(Rotation.allCases.map(\.rawValue) == [0, 90, 180, 270])
    }

    @Test func `Swift's limits equal the header's limits`() {
        #expect(FrameSize.maximumDimension == Int(GR_MAX_DIMENSION))
        #expect(AudioFormat.longestBlockMilliseconds == Int(GR_MAX_BLOCK_MS))
        #expect(AudioFormat.queueMilliseconds == Int(GR_AUDIO_QUEUE_MS))
        #expect(AudioEditing.blockFrames == Int(GR_AUDIO_EDIT_FRAMES))
        #expect(AudioEditing.longestDelayFrames == Int(GR_MAX_AUDIO_DELAY_FRAMES))
        #expect(PixelFormat.allCases.map(\.planeCount).max() == Int(GR_MAX_PLANES))
    }
}

extension String {
    /// `"shareAudioSource"` as `"SHARE_AUDIO_SOURCE"`.
    fileprivate var snakeCase: String {
        reduce(into: "") { $0 += ($1.isUppercase ? "_" : "") + $1.uppercased() }
    }
}
