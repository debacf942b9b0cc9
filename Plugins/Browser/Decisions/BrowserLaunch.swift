/// Describes how Chromium is started.
package struct BrowserLaunch: Equatable, Sendable {
    /// The program, of Debian's package of the same name.
    package static let program = "chromium-headless-shell"

    /// Whether pages may use the network.
    package var isNetworkGranted: Bool
    /// Whether the page plays to a loudspeaker.
    package var hasSpeaker: Bool
    /// The sandbox of the page's code.
    package var sandbox: ChromiumSandbox
    /// A private folder.
    package var folder: String

    package init(
        isNetworkGranted: Bool, hasSpeaker: Bool, sandbox: ChromiumSandbox, folder: String
    ) {
        (self.isNetworkGranted, self.hasSpeaker) = (isNetworkGranted, hasSpeaker)
        (self.sandbox, self.folder) = (sandbox, folder)
    }

    /// The program and its arguments.
    package var words: [String] {
        [
            Self.program, "--remote-debugging-pipe", "--enable-begin-frame-control",
            "--run-all-compositor-stages-before-draw", "--disable-gpu", "--hide-scrollbars",
            "--block-new-web-contents", "--disable-crash-reporter", "--no-first-run",
            // DevTools pauses the requests of frames in the page's process.
            "--disable-features=IsolateSandboxedIframes",
            "--user-data-dir=\(folder)/profile",
            // A page that nobody touches may play audio.
            "--autoplay-policy=no-user-gesture-required",
        ]
            + (hasSpeaker ? [] : ["--mute-audio"])
            + (isNetworkGranted ? [] : Self.noNetwork)
            + (sandbox == .own ? [] : ["--no-sandbox"])
            + ["about:blank"]
    }

    /// No name and no number is an address, not even the proxy's, which WebRTC has to use, too.
    private static let noNetwork = [
        "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://blocked.invalid:1",
        "--proxy-bypass-list=<-loopback>", "--disable-quic",
        "--webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    ]
}

/// Keeps a page's code apart from the user's files.
package enum ChromiumSandbox: Equatable, Sendable {
    /// Chromium's.
    case own
    /// Landlock around Chromium: it needs no privileges, but does not separate the page from Chromium.
    case landlock
    /// Neither, with the reason as the end of a sentence.
    case none(String)

    /// - Parameters:
    ///   - isRoot: Whether Chromium would run as root, which its sandbox refuses.
    ///   - hasUserNamespaces: Whether the user may make user namespaces.
    ///   - hasHelper: Whether the helper of Debian's package chromium-sandbox is there.
    ///   - mayGainRights: Whether programs may run with the rights of their owner, as the helper must. The
    ///     systemd unit forbids this.
    ///   - hasLandlock: Whether the kernel has Landlock.
    package init(
        isRoot: Bool, hasUserNamespaces: Bool, hasHelper: Bool, mayGainRights: Bool,
        hasLandlock: Bool
    ) {
        self =
            if !isRoot, hasUserNamespaces || hasHelper && mayGainRights {
                .own
            } else if hasLandlock {
                .landlock
            } else if isRoot {
                .none("root can't use Chromium's sandbox; run greenroom as another user")
            } else {
                .none("this user may make no user namespaces")
            }
    }

    /// The files of the system that Chromium reads.
    package static let systemFiles = [
        "/usr", "/opt", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives",
        "/etc/fonts",
        "/var/cache/fontconfig", "/etc/localtime", "/etc/chromium", "/etc/chromium.d",
        "/etc/passwd",
        "/etc/nsswitch.conf", "/etc/host.conf", "/etc/hosts", "/etc/gai.conf", "/etc/resolv.conf",
        "/run/systemd/resolve", "/etc/ssl", "/etc/pulse", "/etc/alsa", "/etc/asound.conf", "/proc",
        "/sys",
        "/dev/zero", "/dev/random", "/dev/urandom",
    ]
}
