import CGreenroomKernels
import CLibYUV
import CPeers
import Glibc
import GreenroomConversion
import PluginEffects
import GreenroomMedia

// Conversions by Greenroom, libyuv, zimg and swscale of equal frames, in turn, and adjusting by Greenroom
// and GStreamer: the processor time of the thread, and for scaling PSNR of luma against lanczos. A ratio is
// to the fastest peer whose PSNR is within 0.5 dB of ours, better or worse. Fails if a ratio exceeds its limit,
// which depends on the instruction set: `--avx2` keeps all libraries from AVX-512.

// MARK: Images

/// Noise of all sizes with hard edges: its spectrum falls as that of real images does.
func level(_ x: Double, _ y: Double) -> Double {
    func hash(_ x: Int, _ y: Int, _ octave: Int) -> Double {
        var h = UInt32(truncatingIfNeeded: x &* 374_761_393 &+ y &* 668_265_263 &+ octave &* 97_003)
        h = (h ^ h >> 13) &* 1_274_126_177
        return Double((h ^ h >> 16) & 0xffff) / 65535 - 0.5
    }
    var sum = 0.0
    for octave in 0..<8 {
        let period = Double(1 << (octave + 1))
        let (u, v) = (x / period, y / period)
        let (i, j) = (Int(u), Int(v))
        let (a, b) = (u - Double(i), v - Double(j))
        let top = hash(i, j, octave) * (1 - a) + hash(i + 1, j, octave) * a
        let bottom = hash(i, j + 1, octave) * (1 - a) + hash(i + 1, j + 1, octave) * a
        sum += (top * (1 - b) + bottom * b) * 12 * pow(1.45, Double(octave))
    }
    let (column, row) = (Int(x) / 97, Int(y) / 61)
    if (column * 7 + row * 5) % 6 == 0 { sum += hash(column, row, 99) * 160 }
    return max(0, min(255, 118 + sum))
}

func fill(_ frame: inout VideoFrame) {
    let isWide = frame.format == .p010
    let width = Double(frame.size.width)
    for index in 0..<frame.planeCount {
        let plane = frame.format.plane(index, of: frame.size)
        let stride = frame.strideBytes(index)
        var span = frame.mutablePlane(index)
        for y in 0..<plane.rows {
            for x in 0..<plane.rowBytes / (isWide ? 2 : 1) {
                let scale = width / Double(plane.rowBytes) * (isWide ? 2 : 1)
                let sample = level(Double(x) * scale + Double(index * 333), Double(y))
                if isWide {
                    span.storeBytes(
                        of: UInt16(sample * 4) << 6, toByteOffset: y * stride + 2 * x,
                        as: UInt16.self)
                } else {
                    span.storeBytes(
                        of: UInt8(sample.rounded()), toByteOffset: y * stride + x, as: UInt8.self)
                }
            }
        }
    }
}

func luma(_ frame: borrowing VideoFrame) -> [[Double]] {
    let span = frame.plane(0)
    let stride = frame.strideBytes(0)
    return (0..<frame.size.height).map { y in
        (0..<frame.size.width).map {
            Double(span.unsafeLoad(fromByteOffset: y * stride + $0, as: UInt8.self))
        }
    }
}

/// Lanczos with three lobes, of a row.
func lanczos(_ row: [Double], _ count: Int) -> [Double] {
    let ratio = Double(row.count) / Double(count)
    let scale = max(ratio, 1)
    return (0..<count).map { index in
        let centre = (Double(index) + 0.5) * ratio - 0.5
        var (sum, weights) = (0.0, 0.0)
        for tap in Int((centre - 3 * scale).rounded(.up))...Int((centre + 3 * scale).rounded(.down))
        {
            let x = (Double(tap) - centre) / scale * .pi
            let weight = x == 0 ? 1 : sin(x) / x * sin(x / 3) / (x / 3)
            sum += weight * row[max(0, min(row.count - 1, tap))]
            weights += weight
        }
        return sum / weights
    }
}

func transposed(_ rows: [[Double]]) -> [[Double]] {
    rows[0].indices.map { x in rows.map { $0[x] } }
}

func signalToNoise(_ image: [[Double]], _ reference: [[Double]]) -> Double {
    var sum = 0.0
    for (row, other) in zip(image, reference) {
        for (a, b) in zip(row, other) {
            let error = a - max(0, min(255, b)).rounded()
            sum += error * error
        }
    }
    return 10 * log10(255 * 255 * Double(image.count * image[0].count) / sum)
}

// MARK: Peers

extension peer_image {
    init(_ frame: borrowing VideoFrame) {
        self.init()
        format =
            switch frame.format {
            case .i420: PEER_I420
            case .p010: PEER_P010
            default: PEER_BGRA
            }
        (width, height) = (Int32(frame.size.width), Int32(frame.size.height))
        is_full = frame.info.color.range == .full ? 1 : 0
        is_709 = frame.info.color.matrix == .bt709 ? 1 : 0
        func plane(_ index: Int) -> UnsafeMutablePointer<UInt8>? {
            index < frame.planeCount
                ? frame.unsafePlanePointer(index).assumingMemoryBound(to: UInt8.self) : nil
        }
        func stride(_ index: Int) -> Int32 {
            index < frame.planeCount ? Int32(frame.strideBytes(index)) : 0
        }
        planes = (plane(0), plane(1), plane(2))
        strides = (stride(0), stride(1), stride(2))
    }
}

typealias Peer = (name: String, run: (peer_image) -> Void)

func peers(_ from: peer_image, _ to: peer_image, _ filters: [(String, peer_filter)]) -> [Peer] {
    var (from, to) = (from, to)
    return filters.flatMap { name, filter in
        [("zimg", peer_zimg(&from, &to, filter)), ("swscale", peer_swscale(&from, &to, filter))]
            .compactMap { library, peer in
                peer.map { peer in
                    (
                        "\(library) \(name)",
                        { image in
                            var image = image
                            peer_run(peer, &image, &to)
                        }
                    )
                }
            }
    }
}

func scale(_ from: peer_image, _ to: peer_image, _ mode: FilterMode) -> Void {
    I420Scale(
        from.planes.0, from.strides.0, from.planes.1, from.strides.1, from.planes.2,
        from.strides.2, from.width, from.height, to.planes.0, to.strides.0, to.planes.1,
        to.strides.1, to.planes.2, to.strides.2, to.width, to.height, mode)
}

func libyuv(_ from: peer_image, _ to: peer_image) -> [Peer] {
    let chroma = UnsafeMutablePointer<UInt8>.allocate(capacity: Int(from.width * from.height))
    return switch (from.format, to.format) {
    case (PEER_I420, PEER_I420) where from.width != to.width:
        [
            ("libyuv bilinear", { from in scale(from, to, kFilterBilinear) }),
            ("libyuv box", { from in scale(from, to, kFilterBox) }),
        ]
    case (PEER_BGRA, PEER_I420):
        [
            (
                "libyuv BT.601",
                { from in
                    ARGBToI420(
                        from.planes.0, from.strides.0, to.planes.0, to.strides.0, to.planes.1,
                        to.strides.1, to.planes.2, to.strides.2, from.width, from.height)
                }
            )
        ]
    case (PEER_I420, PEER_BGRA):
        [
            (
                "libyuv BT.601",
                { from in
                    I420ToARGB(
                        from.planes.0, from.strides.0, from.planes.1, from.strides.1,
                        from.planes.2, from.strides.2, to.planes.0, to.strides.0, from.width,
                        from.height)
                }
            )
        ]
    case (PEER_P010, PEER_I420):
        [("libyuv, two passes", { from in narrowAndSplit(from, to, through: chroma) })]
    default: []
    }
}

func narrowAndSplit(
    _ from: peer_image, _ to: peer_image, through chroma: UnsafeMutablePointer<UInt8>
) {
    func narrow(
        _ samples: UnsafeMutablePointer<UInt8>?, _ stride: Int32,
        _ result: UnsafeMutablePointer<UInt8>?, _ resultStride: Int32, _ rows: Int32
    ) {
        samples?.withMemoryRebound(to: UInt16.self, capacity: Int(from.width)) {
            Convert16To8Plane($0, stride / 2, result, resultStride, 256, from.width, rows)
        }
    }
    narrow(from.planes.0, from.strides.0, to.planes.0, to.strides.0, from.height)
    narrow(from.planes.1, from.strides.1, chroma, from.width, from.height / 2)
    SplitUVPlane(
        chroma, from.width, to.planes.1, to.strides.1, to.planes.2, to.strides.2, from.width / 2,
        from.height / 2)
}

// MARK: Measuring

func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// The lower quartiles of what ours and each peer take, in microseconds.
///
/// - Parameters:
///   - peers: Take the number of a run.
///   - ours: Likewise.
func measure(
    rounds: Int, _ peers: [(Int) -> Void], ours: (Int) throws -> Void
) rethrows -> (ours: Double, peers: [Double]) {
    var number = 0
    /// The fastest of some runs: the first ones bring their code and tables into the cache.
    func time(_ run: (Int) throws -> Void) rethrows -> Double {
        var fastest = Double.infinity
        for _ in 0..<6 {
            number += 1
            let begun = processorTime()
            try run(number)
            fastest = min(fastest, processorTime() - begun)
        }
        return fastest
    }
    var own: [Double] = []
    var times = [[Double]](repeating: [], count: peers.count)
    for _ in 0..<rounds {
        own.append(try time(ours))
        for (index, peer) in peers.enumerated() { times[index].append(time(peer)) }
    }
    func quartile(_ times: [Double]) -> Double { times.sorted()[times.count / 4] }
    return (quartile(own), times.map(quartile))
}

/// What is compared, and with which peer: its name begins with this text, or the best one of all.
struct Work {
    var what: String
    var from = PixelFormat.i420
    var size = "1920x1080"
    var color = ColorSpace.bt709Limited
    var to = PixelFormat.i420
    var result: String?
    var wanted: ColorSpace?
    var peer = ""
    var limit: Limits
}

/// The limits of a ratio, by the instruction set of our kernels. Others have none.
struct Limits {
    var avx2, avx512: Double

    static var kernels: String { String(cString: greenroom_best_kernels().pointee.name) }

    var current: Double? {
        switch Self.kernels {
        case "AVX2": avx2
        case "AVX-512": avx512
        default: nil
        }
    }
}

// Halves, quarters and sixths are libyuv's on both sides: ours takes a frame from the pool. A limit is the worst
// ratio of five runs plus a tenth, or that of an earlier machine if it is higher.
let works: [Work] = [
    Work(
        what: "BGRA → I420, BT.709", from: .bgra, peer: "libyuv",
        limit: Limits(avx2: 0.95, avx512: 0.8)),
    Work(
        what: "RGBA → I420, BT.709", from: .rgba, peer: "libyuv",
        limit: Limits(avx2: 0.95, avx512: 0.8)),
    Work(
        what: "BGRA → I420, BT.601", from: .bgra, color: .bt601Limited, peer: "libyuv",
        limit: Limits(avx2: 0.95, avx512: 0.8)),
    Work(
        what: "I420 BT.709 → BGRA", to: .bgra, peer: "libyuv",
        limit: Limits(avx2: 1.15, avx512: 0.9)
    ),
    Work(
        what: "I420 BT.601 → BGRA", color: .bt601Limited, to: .bgra, peer: "libyuv",
        limit: Limits(avx2: 1.15, avx512: 0.9)),
    Work(
        what: "full → limited", color: .bt709Full, wanted: .bt709Limited, peer: "zimg",
        limit: Limits(avx2: 0.65, avx512: 0.9)),
    Work(
        what: "limited → full", wanted: .bt709Full, peer: "zimg",
        limit: Limits(avx2: 0.65, avx512: 0.9)),
    Work(
        what: "BT.601 → BT.709", color: .bt601Limited, wanted: .bt709Limited, peer: "zimg",
        limit: Limits(avx2: 0.12, avx512: 0.12)),
    Work(what: "P010 → I420", from: .p010, peer: "libyuv", limit: Limits(avx2: 1.1, avx512: 1.1)),
    Work(what: "→ 1280x720", result: "1280x720", limit: Limits(avx2: 0.45, avx512: 0.45)),
    Work(what: "→ 1440x810", result: "1440x810", limit: Limits(avx2: 0.4, avx512: 0.4)),
    Work(what: "→ 960x540", result: "960x540", limit: Limits(avx2: 1.15, avx512: 1.2)),
    Work(what: "→ 858x480", result: "858x480", limit: Limits(avx2: 0.7, avx512: 0.65)),
    Work(what: "→ 640x360", result: "640x360", limit: Limits(avx2: 0.9, avx512: 0.9)),
    Work(what: "→ 480x270", result: "480x270", limit: Limits(avx2: 1.15, avx512: 1.15)),
    Work(what: "→ 320x180", result: "320x180", limit: Limits(avx2: 1.25, avx512: 1.3)),
    Work(
        what: "720p → 854x480", size: "1280x720", result: "854x480",
        limit: Limits(avx2: 0.5, avx512: 0.45)),
    Work(
        what: "720p → 640x360", size: "1280x720", result: "640x360",
        limit: Limits(avx2: 1.3, avx512: 1.4)),
    Work(
        what: "720p → 1920x1080", size: "1280x720", result: "1920x1080",
        limit: Limits(avx2: 0.3, avx512: 0.3)),
]

/// Several steps, which run in bands of rows: compared with one after the other.
let bandWorks: [Work] = [
    Work(
        what: "BGRA → I420 720p", from: .bgra, result: "1280x720",
        limit: Limits(avx2: 1.3, avx512: 1.35)),
    Work(
        what: "NV12 → I420 720p", from: .nv12, result: "1280x720",
        limit: Limits(avx2: 1.35, avx512: 1.4)),
    Work(
        what: "I420 → BGRA 720p", to: .bgra, result: "1280x720",
        limit: Limits(avx2: 1.2, avx512: 1.2)),
    Work(
        what: "2160p NV12 → BGRA 720p", from: .nv12, size: "3840x2160", to: .bgra,
        result: "1280x720", limit: Limits(avx2: 1.25, avx512: 1.15)),
]

final class Source {
    let frame: VideoFrame
    init(_ frame: consuming VideoFrame) { self.frame = frame }
}

/// Equal frames, together larger than the cache: a session's frames are in no cache either.
func sources(of work: Work) -> [Source]? {
    guard let size = FrameSize(work.size) else { return nil }
    let (count, pool) = (12, FramePool(limit: 12))
    var sources: [Source] = []
    for _ in 0..<count {
        guard var frame = pool.take(work.from, size) else { return nil }
        frame.info.color = work.color
        if let first = sources.first {
            for index in 0..<frame.planeCount {
                frame.unsafePlanePointer(index).copyMemory(
                    from: first.frame.unsafePlanePointer(index), byteCount: frame.byteCount(index))
            }
        } else {
            fill(&frame)
        }
        sources.append(Source(frame))
    }
    return sources
}

func runBands(_ work: Work, rounds: Int) throws -> Bool {
    guard let sources = sources(of: work) else { return false }
    let pool = FramePool(limit: 3)
    let want = VideoWant(format: work.to, size: work.result.flatMap { FrameSize($0) })
    let (banded, whole) = (FrameConverter(), FrameConverter(bandByteCount: .max))
    func convert(_ number: Int, with converter: FrameConverter) {
        _ = try? converter.convert(sources[number % sources.count].frame, to: want, into: pool)
    }
    let times = measure(rounds: rounds, [{ convert($0, with: whole) }]) {
        convert($0, with: banded)
    }
    let ratio = times.ours / times.peers[0]
    print(line(work.what, "in bands", times.ours, nil, nil))
    print(line("", "one after the other", times.peers[0], nil, ratio))
    return show(ratio, limit: work.limit)
}

func run(_ work: Work, rounds: Int) throws -> Bool {
    guard let size = FrameSize(work.size) else { return false }
    let scaled = work.result.flatMap { FrameSize($0) }
    let pool = FramePool(limit: 6)
    guard let sources = sources(of: work) else { return false }
    let want = VideoWant(
        format: work.to, size: scaled, range: work.wanted?.range, matrix: work.wanted?.matrix,
        fit: .stretch)
    let converter = FrameConverter()
    guard var output = pool.take(work.to, scaled ?? size) else { return false }
    output.info.color = work.wanted ?? work.color
    fill(&output)

    let filters: [(String, peer_filter)] =
        scaled == nil
        ? [("", PEER_BILINEAR)]
        : [("bilinear", PEER_BILINEAR), ("bicubic", PEER_BICUBIC), ("area", PEER_AREA)]
    defer { withExtendedLifetime(sources) {} }
    let images = sources.map { peer_image($0.frame) }
    var all = libyuv(images[0], peer_image(output))
    all += peers(images[0], peer_image(output), filters)

    let runs = all.map { peer in { (number: Int) in peer.run(images[number % images.count]) } }
    let times = try measure(rounds: rounds, runs) {
        _ = try converter.convert(sources[$0 % sources.count].frame, to: want, into: pool)
    }
    let reference = scaled.map { scaled in
        transposed(transposed(luma(sources[0].frame)).map { lanczos($0, scaled.height) })
            .map { lanczos($0, scaled.width) }
    }
    let mine = try converter.convert(sources[0].frame, to: want, into: pool)
    let quality = reference.map { signalToNoise(luma(mine), $0) }
    var best = Double.infinity
    var lines: [String] = []
    for (index, peer) in all.enumerated() {
        let time = times.peers[index]
        peer.run(images[0])
        let peerQuality = reference.map { signalToNoise(luma(output), $0) }
        // A better peer may take longer, and a worse one does less.
        let counts =
            peer.name.hasPrefix(work.peer) && abs((peerQuality ?? 0) - (quality ?? 0)) <= 0.5
        if counts { best = min(best, time) }
        lines.append(line("", peer.name, time, peerQuality, counts ? times.ours / time : nil))
    }
    print(line(work.what, "ours", times.ours, quality, nil))
    for text in lines { print(text) }
    guard best.isFinite else {
        print(line("", "no peer of equal quality", nil, nil, nil) + "\n")
        return true
    }
    return show(times.ours / best, limit: work.limit)
}

/// Brightness, contrast and saturation, as the plugin Adjust does it and as GStreamer's videobalance.
func runAdjust(rounds: Int, limit: Limits) throws -> Bool {
    guard var frame = FramePool(limit: 1).take(.i420, FrameSize(width: 1920, height: 1080)),
        let balance = peer_videobalance(1920, 1080)
    else { return false }
    fill(&frame)
    let curves = ToneCurves(
        ToneCurves.Adjustment(brightness: 0.05, contrast: 1.1, saturation: 1.2), range: .limited)
    let times = measure(rounds: rounds, [{ _ in peer_balance(balance) }]) { _ in
        for plane in 0..<3 {
            let (geometry, stride) =
                (frame.format.plane(plane, of: frame.size), frame.strideBytes(plane))
            for y in 0..<geometry.rows {
                let start = frame.unsafePlanePointer(plane) + y * stride
                var row = MutableSpan<UInt8>(
                    _unsafeStart: start.assumingMemoryBound(to: UInt8.self),
                    count: geometry.rowBytes)
                if plane == 0 { curves.applyLuma(to: &row) } else { curves.applyChroma(to: &row) }
            }
        }
    }
    let ratio = times.ours / times.peers[0]
    print(line("Adjust", "ours", times.ours, nil, nil))
    print(line("", "videobalance", times.peers[0], nil, ratio))
    return show(ratio, limit: limit)
}

/// Prints a ratio.
///
/// - Returns: Whether it is within its limit.
func show(_ ratio: Double, limit: Limits) -> Bool {
    let ratioLine = line("", "ratio", nil, nil, ratio)
    guard let limit = limit.current else {
        print(ratioLine + "\n")
        return true
    }
    let holds = ratio <= limit
    print(ratioLine + " of \(limit)\(holds ? "" : " EXCEEDED")\n")
    return holds
}

func line(_ what: String, _ who: String, _ time: Double?, _ quality: Double?, _ ratio: Double?)
    -> String
{
    func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
    func number(_ value: Double?, _ digits: Int) -> String {
        guard let value else { return "" }
        let scale = pow(10, Double(digits))
        return "\((value * scale).rounded() / scale)"
    }
    return padded(what, 22) + padded(who, 26) + padded(number(time, 1), 10)
        + padded(number(quality, 1), 8) + number(ratio, 2)
}

var words = CommandLine.arguments.dropFirst()
if words.first == "--avx2" {
    words.removeFirst()
    peer_limit_to_avx2()
    MaskCpuFlags(~(kCpuHasAVX512BW | kCpuHasAVX512VL | kCpuHasAVX512VBMI))
    guard Limits.kernels == "AVX2" else {
        print("the kernels are for \(Limits.kernels)")
        exit(2)
    }
}
let rounds = words.first.flatMap { Int($0) } ?? 20
print(line("1920x1080, µs, dB", Limits.kernels, nil, nil, nil))
var failed = 0
for work in works where words.count < 2 || words.dropFirst().contains(where: work.what.contains) {
    if try !run(work, rounds: rounds) { failed += 1 }
}
for work in bandWorks where words.count < 2 || words.dropFirst().contains(where: work.what.contains)
{
    if try !runBands(work, rounds: rounds) { failed += 1 }
}
if words.count < 2 || words.dropFirst().contains(where: "Adjust".contains) {
    if try !runAdjust(rounds: rounds, limit: Limits(avx2: 0.55, avx512: 0.15)) { failed += 1 }
}
exit(failed == 0 ? 0 : 1)
