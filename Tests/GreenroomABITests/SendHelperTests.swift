import GreenroomMedia
import TestSupport
import Testing

/// `greenroom/send.h`: what it says of frames in one buffer is what the host checks them by.
@Suite(.ownThreads) struct SendHelperTests {
    /// Prints a line for each format and size: its number, size, status, bytes, and each plane's
    /// offset, bytes and stride.
    private static let program = """
        #include <greenroom/send.h>
        #include <stdio.h>
        static void describe(gr_pixel_format format, uint32_t width, uint32_t height, int missing) {
          static uint8_t buffer[200000];
          const uint64_t packed = gr_packed_size(format, width, height);
          gr_video_frame frame;
          memset(&frame, 0xff, sizeof frame);
          const gr_status status =
              gr_packed_frame(&frame, format, width, height, buffer, packed - (uint64_t)missing);
          printf("%u %u %u %d %llu", format, width, height, status, (unsigned long long)packed);
          for (uint32_t i = 0; i < frame.plane_count; i++)
            printf(" %ld %llu %u", (long)(frame.planes[i].data - buffer),
                   (unsigned long long)frame.planes[i].size_bytes, frame.planes[i].stride_bytes);
          printf("\\n");
        }
        int main(void) {
          static const uint32_t sizes[][2] = {{1, 1}, {2, 2}, {3, 5}, {33, 17}, {64, 36}};
          for (gr_pixel_format format = GR_FORMAT_I420; format <= GR_FORMAT_P010; format++)
            for (int i = 0; i < 5 && format != GR_FORMAT_MJPEG; i++)
              describe(format, sizes[i][0], sizes[i][1], 0);
          describe(GR_FORMAT_I420, 3, 5, 1);
          describe(GR_FORMAT_NV12, 0, 5, 0);
          describe(GR_FORMAT_BGRA, 8193, 1, 0);
          describe(99, 3, 5, 0);
          return 0;
        }

        """

    private func lines(compiler: String, flags: [String]) throws -> [[Int]] {
        let folder = try TemporaryFolder()
        let build = try ChildProcess.run(
            compiler,
            [
                "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror",
                "-fsanitize=undefined", "-fno-sanitize-recover", "-I", Checkout.include,
            ] + flags + ["-", "-o", folder("helpers")], input: Array(Self.program.utf8))
        guard build.exit == .code(0) else { throw Failure("\(build)") }
        let run = try ChildProcess.run(folder("helpers"), [])
        #expect(run.exit == .code(0), "\(run)")
        return run.text.split(separator: "\n").map {
            $0.split(separator: " ").compactMap { Int($0) }
        }
    }

    @Test(arguments: [
        ("gcc", ["-std=c99", "-x", "c"]), ("g++", ["-std=c++17", "-x", "c++"]),
    ])
    func `a frame in one buffer has the planes that the host expects`(
        compiler: String, flags: [String]
    ) throws {
        var lines = try lines(compiler: compiler, flags: flags)
        let refused = lines.suffix(4)
        #expect(
            refused.map { $0[3] }
                == [
                    Status.badLength, .badSize, .badSize, .badFormat,
                ].map { Int($0.rawValue) })
        // What is missing is missing from the last plane.
        #expect(refused.first.map { Array($0.suffix(3)) } == [21, 5, 2])
        lines.removeLast(4)
        #expect(lines.count == 12 * 5)
        for line in lines {
            let format = try #require(PixelFormat(rawValue: UInt32(line[0])))
            let size = FrameSize(width: line[1], height: line[2])
            var expected: [Int] = []
            var offset = 0
            for plane in 0..<format.planeCount {
                let geometry = format.plane(plane, of: size)
                let bytes = geometry.rowBytes * geometry.rows
                expected += [offset, bytes, geometry.rowBytes]
                offset += bytes
            }
            #expect(line[3] == 0 && line[4] == offset, "\(format) \(size)")
            #expect(Array(line.dropFirst(5)) == expected, "\(format) \(size)")
        }
    }
}
