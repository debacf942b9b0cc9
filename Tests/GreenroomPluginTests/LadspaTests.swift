import Glibc
import GreenroomABI
import GreenroomPlugin
import TestSupport
import Synchronization
import Testing

/// Runs installed effects of LADSPA through the bridge.
@Suite struct LadspaTests {
    private static let folder = "/usr/lib/ladspa"

    /// The plugins of a file, by name; empty for one without effects that Greenroom has.
    private func plugins(of file: String) throws -> [String: (
        entry: UnsafePointer<gr_entry>, index: UInt32
    )] {
        func load(_ path: String) throws -> UnsafeMutableRawPointer {
            let library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
            return try #require(library, "\(path)")
        }
        let bridge = try load(Checkout.products + "/libLadspa.so")
        let symbol = try #require(dlsym(bridge, "greenroom_ladspa_open"))
        typealias Function =
            @convention(c) (
                UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<UInt32>?,
                UnsafeMutablePointer<CChar>?, Int
            ) -> UnsafeMutableRawPointer?
        var indices: [UInt32] = [9, 9]
        var reason = [CChar](repeating: 0, count: 200)
        let opened = unsafeBitCast(symbol, to: Function.self)(
            try load(file.hasPrefix("/") ? file : "\(Self.folder)/\(file).so"), "ladspa-\(file)",
            &indices, &reason, reason.count
        )
        guard let opened else {
            let text = String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            #expect(indices == [1, 0] && text.contains("1 or 2 audio inputs"), "\(file): \(text)")
            return [:]
        }
        let entry = UnsafePointer(opened.assumingMemoryBound(to: gr_entry.self))
        let found = try (indices[0]..<(indices[0] + indices[1])).map {
            index -> (String, (entry: UnsafePointer<gr_entry>, index: UInt32)) in
            let descriptor = try #require(entry.pointee.descriptor(index))
            return (String(cString: descriptor.pointee.name), (entry, index))
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    private func session(_ file: String, _ name: String, _ settings: [(String, Given)] = []) throws
        -> FakeSession
    {
        let plugin = try #require(try plugins(of: file)[name], "\(file) has no \(name)")
        let session = try FakeSession(pluginAt: plugin.index, of: plugin.entry, settings: settings)
        try #require(session.initializeAudioFilter() == .ok)
        try #require(session.startSend() == .ok)
        return session
    }

    private func parameters(of file: String, _ name: String) throws -> [gr_parameter] {
        let plugin = try #require(try plugins(of: file)[name])
        let descriptor = try #require(plugin.entry.pointee.descriptor(plugin.index)).pointee
        #expect(descriptor.kind == UInt32(GR_KIND_AUDIO_PRE_PROCESSOR))
        return (0..<Int(descriptor.parameter_count)).compactMap { descriptor.parameters?[$0] }
    }

    private let ramp = (0..<1920).map { Int16($0 * 10 - 9000) }

    @Test func `each effect of a file is a plugin with its own parameters`() throws {
        #expect(Set(try plugins(of: "amp").keys) == ["ladspa-amp-mono", "ladspa-amp-stereo"])
        let parameters = try parameters(of: "amp", "ladspa-amp-stereo")
        #expect(parameters.map { String(cString: $0.name) } == ["gain"])
        #expect(parameters[0].type == 3 && parameters[0].default_value.number == 1)
        let filter = try self.parameters(of: "single_para_1203", "ladspa-singlePara")
        #expect(
            filter.map { String(cString: $0.name) } == [
                "gain-db", "frequency-hz", "bandwidth-octaves",
            ])
        // A part of the sample rate.
        #expect(abs(filter[1].maximum - 0.4 * 48_000) < 0.01)
    }

    @Test(arguments: ["ladspa-amp-mono", "ladspa-amp-stereo"])
    func `a mono effect and a stereo effect edit both channels`(name: String) throws {
        let session = try session("amp", name, [("gain", .number(1))])
        #expect(try session.edit(ramp) == ramp)
        #expect(try session.set("gain", .number(2)) == .ok)
        #expect(try session.edit(ramp) == ramp.map { Int16($0 * 2) })
    }

    @Test func `an effect declares the delay that it reports`() throws {
        let session = try session("fast_lookahead_limiter_1913", "ladspa-fastLookaheadLimiter")
        let delay = Int(try session.audioFilter().delay_frames)
        #expect(delay > 0 && delay <= 480)
        var click = [Int16](repeating: 0, count: 4800)
        click[960] = 3000
        let edited = try session.edit(click)
        #expect((edited.loudestFrame(channels: 2) - 480 - delay).magnitude <= 1)
    }

    @Test func `a file of generators has no effects`() throws {
        #expect(try plugins(of: "noise").isEmpty)
        #expect(try plugins(of: "xfade_1915").isEmpty)
    }

    /// An effect that returns NaN at a sample of 12345, and from then on.
    private static let faulty = """
        #include <stdlib.h>
        #include <math.h>
        typedef struct { float *in, *out; int broken; } state;
        static void *make(const void *d, unsigned long r) { return calloc(1, sizeof(state)); }
        static void connect(void *s, unsigned long p, float *m) { if (p) ((state *)s)->out = m; else ((state *)s)->in = m; }
        static void run(void *s, unsigned long n) {
          state *e = s;
          for (unsigned long i = 0; i < n; i++) {
            if (e->in[i] * 32768 == 12345) e->broken = 1;
            e->out[i] = e->broken ? NAN : e->in[i] / 2;
          }
        }
        static const int ports[] = {9, 10};
        static const char *const names[] = {"in", "out"};
        static const struct { int h; float l, u; } hints[2];
        static const struct {
          unsigned long id; const char *label; int properties; const char *name, *maker, *copyright;
          unsigned long count; const int *ports; const char *const *names; const void *hints; void *data;
          void *(*make)(const void *, unsigned long); void (*connect)(void *, unsigned long, float *);
          void *activate; void (*run)(void *, unsigned long); void *adding, *gain, *deactivate; void (*cleanup)(void *);
        } d = {1, "faulty", 0, "faulty", "m", "c", 2, ports, names, hints, 0, make, connect, 0, run, 0, 0, 0, free};
        const void *ladspa_descriptor(unsigned long i) { return i ? 0 : &d; }
        """

    @Test func `a block with a value that is not finite plays unedited, and the effect restarts`()
        throws
    {
        let folder = try TemporaryFolder()
        let source = try folder.write("faulty.c", Self.faulty)
        let library = folder("faulty.so")
        let run = try ChildProcess.run("cc", ["-shared", "-fPIC", "-o", library, source])
        try #require(run.exit == .code(0), "\(run)")
        let session = try session(library, "ladspa-faulty")
        let good = [Int16](repeating: 1000, count: 960)
        #expect(try session.edit(good).allSatisfy { $0 == 500 })
        for _ in 0..<3 {
            var bad = good
            bad[100] = 12_345
            let (status, block) = try session.editOnce(bad)
            #expect(status != .ok && block == bad)
            // The effect is made again within half a second.
            var refused = 0
            while case let (status, block) = try session.editOnce(good), status != .ok,
                refused < 200
            {
                #expect(block == good)
                refused += 1
            }
            #expect(refused <= 50)
            #expect(try session.edit(good).allSatisfy { $0 == 500 })
        }
        let log = session.host.state.withLock { $0.log }
        #expect(log.count { $0.contains("not finite") } == 1, "\(log)")
    }
}
