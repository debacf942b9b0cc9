import GreenroomMedia
import Testing

@testable import GreenroomConversion

/// What is made of 32-bit RGB while it is sent is what it becomes later.
@Suite struct EarlyConversionTests {
    private static let sizes = [
        FrameSize(width: 1, height: 1), FrameSize(width: 2, height: 3),
        FrameSize(width: 71, height: 38), FrameSize(width: 130, height: 77),
    ]

    private static let wants: [VideoWant] = [
        VideoWant(format: .i420), VideoWant(format: .i420, matrix: .bt709),
        VideoWant(format: .i420, range: .full),
        VideoWant(format: .i420, size: FrameSize(width: 64, height: 36)),
        VideoWant(format: .i420, size: FrameSize(width: 160, height: 120), matrix: .bt601),
        VideoWant(
            format: .i420, size: FrameSize(width: 32, height: 32), fit: .stretch,
            acceptsRotation: true),
        VideoWant(format: .nv12, matrix: .bt709), VideoWant(format: .yuy2),
        VideoWant(format: .nv21, size: FrameSize(width: 50, height: 50)),
    ]

    @Test(arguments: [PixelFormat.bgra, .rgba, .bgrx, .rgbx], sizes)
    func `an early conversion to I420 does not change the result of later conversions`(
        format: PixelFormat, size: FrameSize
    ) throws {
        let pool = FramePool(limit: 4)
        let converter = FrameConverter()
        for seed in 0..<4 * Self.wants.count {
            let want = Self.wants[seed / 4]
            // Each want with each rotation, and with each colour.
            let info = FrameInfo(
                rotation: Rotation.allCases[seed % 4], color: ColorSpace.all[(seed + seed / 4) % 4],
                offerRevision: 3, ptsNanoseconds: 5)
            var frame = try takeFrame(pool, format, size, info: info)
            frame.fillWithNoise(seed: seed)
            let form = FrameForm(frame)
            let color = try #require(form.firstColor(for: want), "\(info) \(want)")
            let conversion = try #require(EarlyConversion(of: form, to: color))
            var early = try takeFrame(pool, .i420, size, info: info)
            try early.fill(
                by: conversion, from: frame.unsafePlanePointer(0),
                strideBytes: frame.strideBytes(0), byteCount: frame.byteCount(0))
            let expected = try converter.convert(frame, to: want, into: pool)
            let made = try converter.convert(early, to: want, into: pool)
            #expect(made.visibleBytes == expected.visibleBytes, "\(info) \(want)")
            #expect(made.info == expected.info, "\(info) \(want)")
        }
    }

    @Test(arguments: [
        (VideoWant(format: .i420), ColorSpace.bt709Limited),
        (VideoWant(format: .i420, matrix: .bt601), .bt601Limited),
        (VideoWant(format: .i420, range: .full), .bt709Full),
        (VideoWant(format: .nv12), .bt709Limited),
        (VideoWant(format: .i420, size: FrameSize(width: 40, height: 40)), .bt709Limited),
        // libyuv makes NV12 in one pass.
        (VideoWant(format: .nv12, matrix: .bt601), nil),
        // A part of the image alone is converted.
        (VideoWant(format: .i420, size: FrameSize(width: 40, height: 40), fit: .crop), nil),
        (VideoWant(format: .bgra), nil), (VideoWant(format: .rgb24), nil),
        // It is an error.
        (VideoWant(format: .i420, size: FrameSize(width: 40, height: 40), fit: .reject), nil),
    ])
    func `a requested format allows an early conversion only as its first step`(
        want: VideoWant, color: ColorSpace?
    ) {
        let form = FrameForm(
            .bgra, FrameSize(width: 64, height: 48), FrameInfo(color: .bt709Limited))
        #expect(form.firstColor(for: want) == color)
    }

    @Test(arguments: PixelFormat.allCases)
    func `only 32-bit RGB formats are converted early`(format: PixelFormat) {
        let form = FrameForm(format, FrameSize(width: 64, height: 48), FrameInfo())
        let is32Bit = [.bgra, .rgba, .bgrx, .rgbx].contains(format)
        #expect((EarlyConversion(of: form, to: .bt601Limited) != nil) == is32Bit)
        #expect((form.firstColor(for: VideoWant(format: .i420)) != nil) == is32Bit)
    }

    @Test func `an early conversion reads nothing from memory that is too short`() throws {
        let pool = FramePool(limit: 1)
        let size = FrameSize(width: 16, height: 4)
        let conversion = try #require(
            EarlyConversion(of: FrameForm(.bgra, size, FrameInfo()), to: .bt601Limited))
        // An address without memory.
        let nowhere = try #require(UnsafeRawPointer(bitPattern: 64))
        var frame = try takeFrame(pool, .i420, size)
        for (stride, count) in [(63, 1000), (64, 4 * 64 - 1), (-64, 1000), (Int.max, Int.max)] {
            #expect(throws: ConversionError.self) {
                try frame.fill(
                    by: conversion, from: nowhere, strideBytes: stride, byteCount: count)
            }
        }
        _ = consume frame
        var other = try takeFrame(pool, .i420, FrameSize(width: 18, height: 4))
        #expect(throws: ConversionError.self) {
            try other.fill(by: conversion, from: nowhere, strideBytes: 80, byteCount: 1000)
        }
    }
}
