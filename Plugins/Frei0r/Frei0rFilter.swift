import GreenroomConversion
import GreenroomPlugin

/// A filter of frei0r.
///
/// The effect gets frames whose sides are rounded up to multiples of 8; the last column and row fill the
/// rest, which is cut off again. A frame is converted to 32-bit RGB, and back.
final class Frei0rFilter: VideoSourcePreProcessor {
    static let plugin = PluginDescription(
        id: "frei0r.filter", name: "frei0r-filter", version: "1.0", summary: "A filter of frei0r")

    private let effect: Frei0rEffect
    private let host: PluginHost
    private var settings: Frei0rSettings
    private var instance: Frei0rInstance?
    private var conversion: (conversion: PackedConversion, color: ColorSpace)?
    /// The first frame's time, on the session clock.
    private var start: Int64?

    init(settings: Frei0rSettings, host: PluginHost) throws {
        effect = try settings.started()
        self.settings = settings
        self.host = host
    }

    func onSettingsChange(_ settings: Frei0rSettings) {
        settings.reportBadColors(to: host)
        self.settings = settings
        instance?.apply(settings)
    }

    func onPreProcessInitialize(_ capability: VideoCapability) throws {
        try construct(for: capability.size)
    }

    /// An effect has one size for its life: a new size is a new effect.
    func onPreProcessPropertyChange(_ capability: VideoCapability) throws {
        try construct(for: capability.size)
    }

    private func construct(for frame: FrameSize) throws {
        let size = try Frei0rEffect.size(for: frame)
        guard instance?.size != size else { return }
        // Create the new effect before the old one ends, so that frames of the old size continue after a
        // failure.
        instance = try Frei0rInstance(settings, effect, size: size)
    }

    func onPreProcessStart() { start = nil }

    func onPreProcessRawData(_ frame: inout MutableFrame) throws {
        guard let instance, try Frei0rEffect.size(for: frame.size) == instance.size else {
            throw PluginError("the frame has \(frame.size), which was not announced")
        }
        let color = frame.info.color
        if conversion?.color != color {
            conversion = (PackedConversion(color: color, isBlueFirst: effect.isBlueFirst), color)
        }
        guard let conversion = conversion?.conversion else { return }
        let pts = frame.info.ptsNanoseconds ?? 0
        let start = self.start ?? pts
        self.start = start
        let seconds = Double(pts.subtractingReportingOverflow(start).partialValue) / 1e9

        let size = frame.size
        frame.withImage { planes in
            conversion.makePixels(
                planes, size: size, into: instance.input, stride: instance.strideBytes)
            instance.fillEdges(around: size)
            instance.update(at: max(seconds, 0))
            conversion.makePlanes(
                planes, size: size, from: instance.output, stride: instance.strideBytes)
        }
    }

    func onPreProcessUninitialized() { instance = nil }
}

extension Frei0rInstance {
    /// Repeats the last column and row of a frame beyond its size.
    fileprivate func fillEdges(around frame: FrameSize) {
        if size.width > frame.width {
            input.withMemoryRebound(to: UInt32.self, capacity: size.area) { pixels in
                for row in 0..<frame.height {
                    let start = pixels + row * size.width
                    (start + frame.width).update(
                        repeating: start[frame.width - 1], count: size.width - frame.width)
                }
            }
        }
        for row in frame.height..<size.height {
            (input + row * strideBytes).update(
                from: input + (frame.height - 1) * strideBytes, count: strideBytes)
        }
    }
}

extension MutableFrame {
    /// The three planes of an I420 frame, as memory.
    fileprivate mutating func withImage(_ body: (PackedConversion.Planes) -> Void) {
        let strides = (
            strideBytes(ofPlane: 0), strideBytes(ofPlane: 1), strideBytes(ofPlane: 2)
        )
        withPlanes { y, u, v in
            y.withUnsafeMutableBytes { y in
                u.withUnsafeMutableBytes { u in
                    v.withUnsafeMutableBytes { v in
                        guard let y = y.baseAddress, let u = u.baseAddress, let v = v.baseAddress
                        else { return }
                        body(
                            PackedConversion.Planes(
                                y: y.assumingMemoryBound(to: UInt8.self),
                                u: u.assumingMemoryBound(to: UInt8.self),
                                v: v.assumingMemoryBound(to: UInt8.self), yStride: strides.0,
                                uStride: strides.1, vStride: strides.2))
                    }
                }
            }
        }
    }
}
