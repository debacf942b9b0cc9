// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A dictionary of Core Foundation.
public typealias CFDictionary = [String: Any]
/// A string of Core Foundation.
public typealias CFString = String
/// An allocator of Core Foundation; only the default one exists.
public typealias CFAllocator = OpaquePointer
/// The default allocator.
public let kCFAllocatorDefault: CFAllocator? = nil

/// The result of a function of Core Video.
public typealias CVReturn = Int32
/// A four-character code.
public typealias OSType = UInt32

/// Done.
public let kCVReturnSuccess: CVReturn = 0
/// The host has no memory.
public let kCVReturnAllocationFailed: CVReturn = -6662
/// The pixel format is none of the constants below.
public let kCVReturnInvalidPixelFormat: CVReturn = -6680
/// A side is not 1 to 8192.
public let kCVReturnInvalidSize: CVReturn = -6681
/// The alignment of rows is not 1 to 65536.
public let kCVReturnInvalidPixelBufferAttributes: CVReturn = -6682

/// The pixel format.
public let kCVPixelBufferPixelFormatTypeKey = "PixelFormatType"
/// Rows begin at multiples of this many bytes.
public let kCVPixelBufferBytesPerRowAlignmentKey = "BytesPerRowAlignment"
/// NV12, 0 to 255.
public let kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: OSType = 0x3432_3066
/// NV12, 16 to 235.
public let kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: OSType = 0x3432_3076
/// Blue, green, red and alpha in one plane.
public let kCVPixelFormatType_32BGRA: OSType = 0x4247_5241

/// The options of a buffer's lock; memory of a process needs no lock.
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
    /// The flags.
    public let rawValue: UInt64
    /// Makes flags.
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// For reading alone.
    public static let readOnly = Self(rawValue: 1)
}

/// A frame in memory of its own.
public final class CVPixelBuffer: @unchecked Sendable {
    struct Plane {
        var base: UnsafeMutableRawPointer
        var stride: Int
        var rows: Int
    }

    let size: FrameSize
    let type: OSType
    let planes: [Plane]

    init?(size: FrameSize, type: OSType, alignment: Int) {
        func stride(_ bytes: Int) -> Int { (bytes + alignment - 1) / alignment * alignment }
        let shapes =
            type == kCVPixelFormatType_32BGRA
            ? [(stride(size.width * 4), size.height)]
            : [
                (stride(size.width), size.height),
                (stride((size.width + 1) / 2 * 2), (size.height + 1) / 2),
            ]
        self.size = size
        self.type = type
        var planes: [Plane] = []
        for (stride, rows) in shapes {
            guard let base = calloc(rows, stride) else {
                planes.forEach { free($0.base) }
                return nil
            }
            planes.append(Plane(base: base, stride: stride, rows: rows))
        }
        self.planes = planes
    }

    deinit { planes.forEach { free($0.base) } }

    /// Bytes from a row of a plane to the next; 0 without such a plane.
    package func stride(of plane: Int) -> Int {
        planes.indices.contains(plane) ? planes[plane].stride : 0
    }
}

/// An image of Core Video; all are in memory.
public typealias CVImageBuffer = CVPixelBuffer

/// Makes a buffer, filled with zeros.
public func CVPixelBufferCreate(
    _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
    _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: inout CVPixelBuffer?
) -> CVReturn {
    guard (1...8192).contains(width), (1...8192).contains(height) else {
        return kCVReturnInvalidSize
    }
    guard
        [
            kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
            kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_32BGRA,
        ].contains(pixelFormatType)
    else { return kCVReturnInvalidPixelFormat }
    let alignment = pixelBufferAttributes?[kCVPixelBufferBytesPerRowAlignmentKey] as? Int ?? 64
    guard (1...65536).contains(alignment) else { return kCVReturnInvalidPixelBufferAttributes }
    pixelBufferOut = CVPixelBuffer(
        size: FrameSize(width: width, height: height), type: pixelFormatType, alignment: alignment)
    return pixelBufferOut == nil ? kCVReturnAllocationFailed : kCVReturnSuccess
}

/// Has no effect.
@discardableResult
public func CVPixelBufferLockBaseAddress(
    _ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags
) -> CVReturn { kCVReturnSuccess }

/// Has no effect.
@discardableResult
public func CVPixelBufferUnlockBaseAddress(
    _ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags
) -> CVReturn { kCVReturnSuccess }

/// The memory of a plane; nil for a plane that the buffer does not have.
public func CVPixelBufferGetBaseAddressOfPlane(
    _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> UnsafeMutableRawPointer? {
    pixelBuffer.planes.indices.contains(planeIndex) ? pixelBuffer.planes[planeIndex].base : nil
}

/// The memory of the first plane.
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer? {
    CVPixelBufferGetBaseAddressOfPlane(pixelBuffer, 0)
}

/// Bytes from a row of a plane to the next; 0 for a plane that the buffer does not have.
public func CVPixelBufferGetBytesPerRowOfPlane(
    _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> Int {
    pixelBuffer.planes.indices.contains(planeIndex) ? pixelBuffer.planes[planeIndex].stride : 0
}

/// Bytes from a row of the first plane to the next.
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int {
    CVPixelBufferGetBytesPerRowOfPlane(pixelBuffer, 0)
}

/// Rows of a plane; 0 for a plane that the buffer does not have.
public func CVPixelBufferGetHeightOfPlane(
    _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> Int {
    pixelBuffer.planes.indices.contains(planeIndex) ? pixelBuffer.planes[planeIndex].rows : 0
}

/// The number of planes.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int {
    pixelBuffer.planes.count
}

/// Pixels of a row.
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.size.width }

/// Rows of pixels.
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.size.height }

/// One of the constants above.
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType {
    pixelBuffer.type
}

extension VideoSender {
    /// Sends a buffer.
    package func send(
        _ buffer: CVPixelBuffer, rotation: Rotation = .none, ptsNanoseconds: Int64?
    ) throws(SendRefusal) {
        let isFull = buffer.type != kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
        let info = FrameInfo(
            rotation: rotation, color: isFull ? .bt601Full : .bt601Limited,
            ptsNanoseconds: ptsNanoseconds)
        let planes = buffer.planes
        // The buffer outlives the call, and the host copies.
        defer { withExtendedLifetime(buffer) {} }
        func bytes(_ plane: CVPixelBuffer.Plane) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: plane.base, count: plane.stride * plane.rows)
        }
        let first = FramePlanes.Plane(
            RawSpan(_unsafeBytes: bytes(planes[0])), strideBytes: planes[0].stride)
        guard planes.count > 1 else {
            return try send(
                format: .bgra, size: buffer.size, planes: FramePlanes(first), info: info)
        }
        let second = FramePlanes.Plane(
            RawSpan(_unsafeBytes: bytes(planes[1])), strideBytes: planes[1].stride)
        try send(format: .nv12, size: buffer.size, planes: FramePlanes(first, second), info: info)
    }
}
