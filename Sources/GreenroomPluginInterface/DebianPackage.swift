/// Debian's packages of the libraries that bundled plugins link with.
package enum DebianPackage {
    /// Names of packages by names of libraries, both without the number of the interface. In a package's name the
    /// number is at the end, or instead of #.
    private static let names = [
        "libasound": "libasound", "libavcodec": "libavcodec", "libavdevice": "libavdevice",
        "libavfilter": "libavfilter", "libavformat": "libavformat", "libavutil": "libavutil",
        "libcrypto": "libssl", "libcurl": "libcurl", "libespeak-ng": "libespeak-ng",
        "libglib-2.0": "libglib2.0-", "libgnutls": "libgnutls", "libgobject-2.0": "libglib2.0-",
        "libgstapp-1.0": "libgstreamer-plugins-base1.0-",
        "libgstreamer-1.0": "libgstreamer1.0-",
        "libgstrtp-1.0": "libgstreamer-plugins-base1.0-",
        "libgstsdp-1.0": "libgstreamer-plugins-base1.0-",
        "libgstvideo-1.0": "libgstreamer-plugins-base1.0-",
        "libgstwebrtc-1.0": "libgstreamer-plugins-bad1.0-", "libjpeg": "libjpeg#-turbo",
        "libmicrohttpd": "libmicrohttpd", "libpango-1.0": "libpango-1.0-",
        "libpangocairo-1.0": "libpangocairo-1.0-",
        "libcairo": "libcairo", "libpipewire-0.3": "libpipewire-0.3-", "libpng16": "libpng16-",
        "libsndfile": "libsndfile", "libswresample": "libswresample", "libswscale": "libswscale",
        "libsystemd": "libsystemd", "libturbojpeg": "libturbojpeg",
        "libwebrtc_audio_processing": "libwebrtc-audio-processing", "libyuv": "libyuv",
    ]

    /// The Debian package of a library: `libavcodec59` for `libavcodec.so.59`. nil if no bundled
    /// plugin links with the library.
    package static func name(of library: String) -> String? {
        guard let end = library.firstRange(of: ".so."),
            let name = names[String(library[..<end.lowerBound])]
        else { return nil }
        let number = library[end.upperBound...]
        return name.contains("#") ? name.replacing("#", with: number) : name + number
    }

    /// Returns the command that installs the packages of a plugin's libraries.
    ///
    /// - Parameters:
    ///   - missing: The library that the loader did not find.
    ///   - libraries: All libraries that the plugin links with.
    /// - Returns: The command; nil if the missing library has no known package.
    package static func installation(of missing: String, among libraries: [String]) -> String? {
        guard name(of: missing) != nil else { return nil }
        let packages = Set((libraries + [missing]).compactMap(name)).sorted()
        return "apt install \(packages.joined(separator: " "))"
    }
}
