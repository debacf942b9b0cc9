import Glibc
import Testing

/// A private ALSA configuration for this process: test machines have no sound cards.
///
/// Tests that use it run one at a time.
enum ALSAConfiguration {
    private static let path: String = {
        let path = "/tmp/greenroom-asound-\(getpid()).conf"
        setenv("ALSA_CONFIG_PATH", path, 1)
        atexit { unlink("/tmp/greenroom-asound-\(getpid()).conf") }
        return path
    }()

    /// Replaces the user's part of ALSA's configuration. ALSA notices the changed file when it
    /// opens a device.
    static func set(_ text: String) throws {
        let new = path + ".new"
        let stream = try #require(fopen(new, "w"))
        fputs("</usr/share/alsa/alsa.conf>\n\(text)\n", stream)
        fclose(stream)
        try #require(rename(new, path) == 0)
    }
}
