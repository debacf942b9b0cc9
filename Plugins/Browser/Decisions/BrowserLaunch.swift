/// Describes how Chromium is started.
package struct BrowserLaunch: Equatable, Sendable {
    /// The program, of Debian's package of the same name.
    package static let program = "chromium-headless-shell"

    /// Whether pages may use the network.
    package var isNetworkGranted: Bool
    /// Whether the page plays to a loudspeaker.
    package var hasSpeaker: Bool
    /// Whether Chromium's own sandbox can be used.
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
            + (sandbox == .usable ? [] : ["--no-sandbox"])
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

/// Whether Chromium's own sandbox, which keeps a page's code apart from the user's files, can be used.
package enum ChromiumSandbox: Equatable, Sendable {
    case usable
    /// The reason for a refusal, as the end of a sentence.
    case unusable(String)

    /// - Parameters:
    ///   - isRoot: Whether Chromium would run as root, which its sandbox refuses.
    ///   - hasUserNamespaces: Whether the user may make user namespaces.
    ///   - hasHelper: Whether the helper of Debian's package chromium-sandbox is there.
    ///   - mayGainRights: Whether programs may run with the rights of their owner, as the helper must. The
    ///     systemd unit forbids this.
    package init(isRoot: Bool, hasUserNamespaces: Bool, hasHelper: Bool, mayGainRights: Bool) {
        self =
            if isRoot {
                .unusable("root can't use it; run greenroom as another user")
            } else if hasUserNamespaces || hasHelper && mayGainRights {
                .usable
            } else if !mayGainRights {
                .unusable(
                    "this service may make no user namespaces and gain no rights, so only the "
                        + "service's restrictions confine the page")
            } else {
                .unusable(
                    "this user may make no user namespaces; install it with: apt install "
                        + "chromium-sandbox")
            }
    }
}
