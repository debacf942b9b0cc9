// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
]

/// A product of another package, which is resolved only with the trait: plugins need none.
func external(_ product: String, of package: String, for trait: String) -> Target.Dependency {
    .product(name: product, package: package, condition: .when(traits: [trait]))
}

/// Descriptors and errno.
let systemPackage = external("SystemPackage", of: "swift-system", for: "Broadcast")

/// Where GLib's headers lie: it depends on the architecture.
let glibHeaders = [
    "-I/usr/include/glib-2.0", "-I/usr/lib/x86_64-linux-gnu/glib-2.0/include",
    "-I/usr/lib/aarch64-linux-gnu/glib-2.0/include",
]

let gstreamerHeaders: [CSetting] = [
    .unsafeFlags(["-I/usr/include/gstreamer-1.0"] + glibHeaders)
]

let pangoHeaders: [CSetting] = [
    .unsafeFlags(
        [
            "-I/usr/include/pango-1.0", "-I/usr/include/cairo", "-I/usr/include/harfbuzz",
            "-I/usr/include/freetype2",
        ] + glibHeaders)
]

/// A bundled media plugin: `Plugins/<name>`, built as the shared library `lib<name>.so`.
struct BundledPlugin {
    var name: String
    var dependencies: [Target.Dependency] = []
    /// What in its folder is of another target.
    var exclude: [String] = []
    /// The functions that it exports.
    var exports = "exports.map"
    /// Libraries to link with, besides its dependencies' libraries.
    var libraries: [String] = []

    var product: Product { .library(name: name, type: .dynamic, targets: [name]) }
    var target: Target {
        .target(
            name: name, dependencies: ["GreenroomPlugin"] + dependencies, path: "Plugins/\(name)",
            exclude: exclude,
            linkerSettings: [
                .unsafeFlags([
                    "-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/\(exports)",
                ])
            ] + libraries.map { .linkedLibrary($0) })
    }
}

/// A module of the package `Samples/VendorStyle`, for its tests.
func vendorStyle(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [])
    -> Target
{
    .target(
        name: name, dependencies: dependencies, path: "Samples/VendorStyle/Sources/\(name)",
        exclude: exclude)
}

let vendorStyles = [
    vendorStyle("AppleMediaStyle", ["GreenroomPlugin"]),
    vendorStyle("ZoomStyle", ["AppleMediaStyle"]),
    vendorStyle("AzureStyle", ["AppleMediaStyle"]),
    vendorStyle("AgoraStyle", ["AppleMediaStyle"]),
    // A library has one entry.
    vendorStyle(
        "ReceiverSamples", ["AgoraStyle", "AzureStyle", "ZoomStyle"], exclude: ["Entry.swift"]),
]

let bundledPlugins: [BundledPlugin] = [
    BundledPlugin(name: "Adjust", dependencies: ["PluginEffects"]),
    BundledPlugin(name: "AlsaMicrophone", dependencies: ["GreenroomALSA"]),
    BundledPlugin(
        name: "Browser",
        dependencies: [
            "CLinux", "CPNG", "CTurboJPEG", "BrowserDecisions", "GreenroomSchema",
            "PluginProcess", "GreenroomSystem", systemPackage,
        ], exclude: ["Decisions"],
        libraries: ["png"]),
    BundledPlugin(name: "ColorBars"),
    BundledPlugin(
        name: "Command",
        dependencies: [
            "CLinux", "CommandDecisions", "GreenroomFiles", "PluginProcess", "GreenroomSystem",
            systemPackage,
        ], exclude: ["Decisions"]),
    BundledPlugin(name: "FrameFolder", dependencies: ["PluginImages", "GreenroomSystem"]),
    BundledPlugin(
        name: "Frei0r", dependencies: ["GreenroomConversion", "PluginEffects"],
        exclude: ["exports.map"],
        exports: "Frei0r/exports.map"),
    BundledPlugin(name: "Gain"),
    BundledPlugin(
        name: "Ladspa", dependencies: ["PluginEffects"], exclude: ["exports.map"],
        exports: "Ladspa/exports.map"),
    BundledPlugin(name: "LoopbackCall", dependencies: ["GreenroomSystem"]),
    BundledPlugin(
        name: "Media",
        dependencies: [
            "CDecoderCrash", "CFFmpeg", "CJPEG", "PluginEncoding", "MediaDecisions",
        ],
        exclude: ["Decisions"],
        libraries: ["avdevice", "swresample", "swscale"]),
    BundledPlugin(name: "NoiseSuppression", dependencies: ["CWebRTCAudio"]),
    BundledPlugin(
        name: "PipeWireCamera",
        dependencies: [
            "PluginCamera", "GreenroomMedia", "PluginPipeWire", "PluginPortal",
        ]),
    BundledPlugin(
        name: "Recorder",
        dependencies: [
            "CFFmpeg", "GreenroomFiles", "GreenroomSchema", "PluginEncoding", systemPackage,
        ]),
    BundledPlugin(
        name: "Screen",
        dependencies: [
            "GreenroomMedia", "PluginPipeWire", "PluginPortal", "GreenroomSystem",
            "GreenroomX11", systemPackage,
        ]),
    BundledPlugin(name: "Slides", dependencies: ["PluginImages"]),
    BundledPlugin(name: "SpeakerFile", dependencies: ["CSndFile", "GreenroomSystem"]),
    BundledPlugin(name: "Speech", dependencies: ["CESpeak"]),
    BundledPlugin(
        name: "Stage",
        dependencies: [
            "CLibYUV", "GreenroomSchema", "PluginImages", "StageDecisions", "PluginText",
        ],
        exclude: ["Decisions"],
        libraries: ["yuv"]),
    BundledPlugin(
        name: "Stream",
        dependencies: ["CFFmpeg", "PluginEncoding", "GreenroomSystem", systemPackage]),
    BundledPlugin(name: "Text", dependencies: ["CPango", "PluginImages", "PluginText"]),
    BundledPlugin(name: "Tone"),
    BundledPlugin(
        name: "V4L2Camera",
        dependencies: [
            "CLinux", "PluginCamera", "PluginEncoding", "GreenroomMedia",
            "PluginProcess", "GreenroomV4L2",
        ]),
    BundledPlugin(
        name: "VirtualCamera", dependencies: ["CV4L2", "PluginPipeWire", "GreenroomSystem"]),
    BundledPlugin(name: "VirtualMicrophone", dependencies: ["PluginPipeWire"]),
    BundledPlugin(name: "VirtualSpeaker", dependencies: ["PluginPipeWire"]),
    BundledPlugin(name: "Watermark", dependencies: ["PluginImages"]),
    BundledPlugin(name: "WaveFile", dependencies: ["CSndFile", "GreenroomSystem"]),
    BundledPlugin(
        name: "WebRoom",
        dependencies: [
            "CCurl", "CGStreamer", "CGreenroomKernels", "CMicroHTTPD", "CRoomPage", "CTurboJPEG",
            "RoomAccess", "RoomDecisions", "StageDecisions",
        ],
        exclude: ["Access", "Decisions", "Page"]),
    BundledPlugin(name: "Y4MFile", dependencies: ["GreenroomFiles"]),
]

let package = Package(
    name: "greenroom",
    products: [
        .library(name: "GreenroomPlugin", targets: ["GreenroomPlugin"]),
        .library(name: "GreenroomHost", targets: ["GreenroomHost"]),
        .library(name: "GreenroomTesting", targets: ["GreenroomTesting"]),
        .library(name: "GreenroomValidator", targets: ["GreenroomValidator"]),
        .library(name: "GreenroomBroadcast", targets: ["GreenroomBroadcast"]),
        .library(
            name: "greenroom-client", type: .dynamic, targets: ["GreenroomClient"]),
        .library(name: "greenroom-meter", type: .dynamic, targets: ["GreenroomMeter"]),
        .executable(name: "greenroom", targets: ["greenroom"]),
        .executable(name: "greenroom-runner", targets: ["greenroom-runner"]),
    ] + bundledPlugins.map(\.product),
    traits: [
        .trait(
            name: "Broadcast",
            description: "GreenroomBroadcast, for programs that broadcast into a session."),
        .trait(
            name: "Testing", description: "GreenroomTesting, for the tests of plugins.",
            enabledTraits: ["Broadcast"]),
        .trait(
            name: "Host", description: "The host, its programs and the validator.",
            enabledTraits: ["Broadcast"]),
        .default(enabledTraits: ["Host"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // C: the contract, and the libraries of the host.
        .systemLibrary(name: "GreenroomABI"),
        .target(name: "CALSA", linkerSettings: [.linkedLibrary("asound")]),
        // libyuv needs this library, too.
        .target(
            name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("yuv")]),
        .systemLibrary(name: "CLibYUV", providers: [.apt(["libyuv-dev"])]),
        // Frames are too many for unoptimized code, in debug builds too.
        .target(
            name: "CGreenroomKernels",
            cSettings: [.unsafeFlags(["-O2"], .when(configuration: .debug))]),
        .target(name: "CLinux"),
        .target(name: "CExit", dependencies: ["CLinux"]),
        .target(name: "CEmbeddedFiles"),
        .target(
            name: "CPluginTemplates", dependencies: ["CEmbeddedFiles"], exclude: ["Templates"]),
        .target(name: "CSeccomp", linkerSettings: [.linkedLibrary(":libseccomp.a")]),
        .systemLibrary(name: "CSpeexDSP", providers: [.apt(["libspeexdsp-dev"])]),
        // C: the libraries of bundled plugins.
        .target(
            name: "CRoomPage", dependencies: ["CEmbeddedFiles"], path: "Plugins/WebRoom/Page",
            exclude: ["Files"]),
        .systemLibrary(name: "CESpeak", providers: [.apt(["libespeak-ng-dev"])]),
        .systemLibrary(
            name: "CFFmpeg",
            providers: [
                .apt(["libavcodec-dev", "libavdevice-dev", "libavformat-dev", "libswscale-dev"])
            ]),
        .systemLibrary(
            name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .target(name: "CDecoderCrash"),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        // Of libgstwebrtc it declares what it needs: the headers' package brings all of OpenCV's.
        .target(
            name: "CGStreamer",
            cSettings: gstreamerHeaders,
            linkerSettings: [
                .linkedLibrary("gstapp-1.0"), .linkedLibrary("gstvideo-1.0"),
                .linkedLibrary("gstsdp-1.0"), .linkedLibrary("gstrtp-1.0"),
                .linkedLibrary("gstreamer-1.0"),
                .linkedLibrary("gobject-2.0"), .linkedLibrary("glib-2.0"),
                .linkedLibrary(":libgstwebrtc-1.0.so.0"), .linkedLibrary("crypto"),
            ]),
        .target(
            name: "CMicroHTTPD",
            linkerSettings: [.linkedLibrary("microhttpd"), .linkedLibrary("gnutls")]),
        .target(name: "CPNG"),
        // Not by their pkg-config, which names a flag that SwiftPM refuses.
        .target(
            name: "CPango", cSettings: pangoHeaders,
            linkerSettings: [
                .linkedLibrary("pangocairo-1.0"), .linkedLibrary("pango-1.0"),
                .linkedLibrary("cairo"), .linkedLibrary("gobject-2.0"), .linkedLibrary("glib-2.0"),
            ]),
        .target(
            name: "CPipeWire",
            cSettings: [
                .unsafeFlags(["-I/usr/include/pipewire-0.3", "-I/usr/include/spa-0.2"])
            ], linkerSettings: [.linkedLibrary("pipewire-0.3")]),
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),
        .target(name: "CV4L2"),
        // Not by its pkg-config, which names definitions that SwiftPM refuses.
        .target(
            name: "CWebRTCAudio",
            cxxSettings: [
                .unsafeFlags(["-I/usr/include/webrtc_audio_processing"]),
                .define("WEBRTC_AUDIO_PROCESSING_ONLY_BUILD"), .define("WEBRTC_POSIX"),
            ],
            linkerSettings: [
                .linkedLibrary("webrtc_audio_processing"), .linkedLibrary("stdc++"),
            ]),
        // Static: the host, which lists screens, needs none of them at run time.
        .target(
            name: "CX11",
            linkerSettings: [
                .linkedLibrary(":libxcb-composite.a"), .linkedLibrary(":libxcb-damage.a"),
                .linkedLibrary(":libxcb-randr.a"), .linkedLibrary(":libxcb-shm.a"),
                .linkedLibrary(":libxcb-xfixes.a"), .linkedLibrary(":libxcb.a"),
                .linkedLibrary(":libXau.a"), .linkedLibrary(":libXdmcp.a"),
            ]),
        .target(name: "CPortal", linkerSettings: [.linkedLibrary("systemd")]),

        // C: what counts in a plugin's process while it is validated.
        .target(name: "GreenroomMeter"),

        // Values.
        .target(name: "GreenroomMedia"),
        // What a session file says, as the session uses it, and the events of a running session.
        .target(
            name: "GreenroomModel",
            dependencies: ["GreenroomMedia", "GreenroomNegotiation", "GreenroomSchema"]),

        // Descriptors and errno: swift-system, and what it lacks.
        .target(name: "GreenroomSystem", dependencies: ["CLinux", systemPackage]),

        // What plugin authors import.
        .target(name: "GreenroomPlugin", dependencies: ["GreenroomABI", "GreenroomMedia"]),

        // What bundled plugins share.
        .target(
            name: "PluginImages",
            dependencies: ["CLibYUV", "CPNG", "CTurboJPEG", "GreenroomMedia", "GreenroomSystem"],
            path: "Plugins/Shared/Images",
            linkerSettings: [.linkedLibrary("png"), .linkedLibrary("yuv")]),
        .target(
            name: "PluginEffects", dependencies: ["CGreenroomKernels", "GreenroomMedia"],
            path: "Plugins/Shared/Effects"),
        // A program that a plugin runs, and that ends with it.
        .target(
            name: "PluginProcess",
            dependencies: [
                "CLinux", "GreenroomPlugin", "GreenroomSchema", "GreenroomSystem", systemPackage,
            ],
            path: "Plugins/Shared/Process"),
        // The decisions of Browser: addresses, Chromium's options and messages, pictures.
        .target(
            name: "BrowserDecisions",
            dependencies: ["CLibYUV", "GreenroomConversion", "GreenroomMedia", "GreenroomSchema"],
            path: "Plugins/Browser/Decisions"),
        // The decisions of Command: the tracks and the stream that a command reads.
        .target(
            name: "CommandDecisions", dependencies: ["GreenroomPlugin", "GreenroomSchema"],
            path: "Plugins/Command/Decisions"),
        // Text in the installed fonts.
        .target(
            name: "PluginText", dependencies: ["CPango", "PluginImages", "GreenroomPlugin"],
            path: "Plugins/Shared/Text"),
        // FFmpeg's encoders, for frames and samples of the SDK.
        .target(
            name: "PluginEncoding",
            dependencies: ["CFFmpeg", "GreenroomMedia", "GreenroomPlugin"],
            path: "Plugins/Shared/Encoding"),
        // The decisions of Media: where a file or a stream is at a time.
        .target(name: "MediaDecisions", path: "Plugins/Media/Decisions"),
        // The decisions of Stage: who is where in the picture, and who speaks.
        .target(
            name: "StageDecisions", dependencies: ["GreenroomMedia"],
            path: "Plugins/Stage/Decisions"),
        // The parts of WebRoom that the command uses, too: tokens, addresses, costs and the report for Prometheus.
        .target(
            name: "RoomAccess", dependencies: ["GreenroomMedia"], path: "Plugins/WebRoom/Access"),
        // The decisions of WebRoom.
        .target(
            name: "RoomDecisions", dependencies: ["GreenroomMedia", "RoomAccess"],
            path: "Plugins/WebRoom/Decisions"),
        .target(
            name: "PluginPipeWire", dependencies: ["CPipeWire", "GreenroomPlugin"],
            path: "Plugins/Shared/PipeWire"),

        // The desktop's dialogs for screens and cameras.
        .target(
            name: "PluginPortal",
            dependencies: ["CPortal", "GreenroomMedia", "GreenroomPlugin"],
            path: "Plugins/Shared/Portal"),

        // The screens that are captured; the host lists them.
        .target(name: "GreenroomX11", dependencies: ["CX11", "GreenroomMedia"]),

        // The frames of cameras, for the plugins that capture them.
        .target(
            name: "PluginCamera", dependencies: ["GreenroomMedia", "GreenroomPlugin"],
            path: "Plugins/Shared/Camera"),

        // The cameras that are captured; the host lists them.
        .target(name: "GreenroomV4L2", dependencies: ["CV4L2", "GreenroomMedia"]),

        // The host, bottom up.
        .target(name: "GreenroomRuntime", dependencies: ["GreenroomMedia"]),
        .target(name: "GreenroomNegotiation", dependencies: ["GreenroomMedia"]),
        .target(
            name: "GreenroomPluginInterface",
            dependencies: [
                "GreenroomABI", "GreenroomMedia", "GreenroomNegotiation", "GreenroomSystem",
            ]),
        .target(
            name: "GreenroomIPC",
            dependencies: [
                "CGreenroomKernels", "CLinux", "GreenroomABI", "GreenroomMedia",
                "GreenroomNegotiation", "GreenroomPluginInterface",
            ]),
        .target(
            name: "GreenroomSandbox",
            dependencies: ["CLinux", "CSeccomp", "GreenroomIPC", "GreenroomSystem"]),
        .target(
            name: "GreenroomRunner",
            dependencies: [
                "CGreenroomKernels", "CLinux", "GreenroomABI", "GreenroomIPC",
                "GreenroomPluginInterface", "GreenroomMedia",
            ]),

        // Programs that connect import this module, or link with its C library.
        .target(
            name: "GreenroomBroadcast",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomIPC", "GreenroomPluginInterface",
                "GreenroomMedia",
                "GreenroomPlugin", "GreenroomRunner",
            ]),
        .target(
            name: "GreenroomClient",
            dependencies: [
                "GreenroomABI", "GreenroomBroadcast", "GreenroomIPC", "GreenroomMedia",
                "GreenroomPluginInterface", "GreenroomRunner",
            ],
            exclude: ["exports.map"],
            linkerSettings: [
                .unsafeFlags([
                    "-Xlinker",
                    "--version-script=\(Context.packageDirectory)"
                        + "/Sources/GreenroomClient/exports.map",
                ])
            ]),

        .target(name: "GreenroomSchema", dependencies: ["GreenroomMedia"]),
        .target(
            name: "GreenroomConversion",
            dependencies: ["CGreenroomKernels", "CJPEG", "CLibYUV", "GreenroomMedia"],
            linkerSettings: [.linkedLibrary("yuv")]),
        .target(name: "GreenroomFiles", dependencies: ["GreenroomMedia", "GreenroomSystem"]),
        .target(
            name: "GreenroomALSA", dependencies: ["CALSA", "GreenroomMedia", systemPackage]),
        .target(
            name: "GreenroomAudio",
            dependencies: ["CSpeexDSP", "GreenroomMedia", "GreenroomRuntime"],
            linkerSettings: [.linkedLibrary(":libspeexdsp.a")]),
        .target(
            name: "GreenroomVideo",
            dependencies: [
                "GreenroomABI", "GreenroomAudio", "GreenroomConversion", "GreenroomMedia",
                "GreenroomModel", "GreenroomRuntime",
            ]),
        // One plugin in a session, in whatever process: isolation and the validator need no more.
        .target(
            name: "GreenroomLifecycle",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomAudio", "GreenroomConversion",
                "GreenroomMedia", "GreenroomModel", "GreenroomNegotiation",
                "GreenroomPluginInterface", "GreenroomRuntime", "GreenroomSystem", "GreenroomVideo",
            ]),
        // The outputs of a session: the host's own, and the connections to all.
        .target(
            name: "GreenroomOutputs",
            dependencies: [
                "GreenroomABI", "GreenroomALSA", "GreenroomAudio", "GreenroomConversion",
                "GreenroomFiles", "GreenroomLifecycle", "GreenroomMedia",
                "GreenroomModel", "GreenroomNegotiation", "GreenroomPluginInterface",
                "GreenroomRuntime", "GreenroomSchema", "GreenroomSystem", "GreenroomVideo",
            ]),
        // The decisions of a session, as a value: no clock, no thread and no plugin is below it.
        .target(
            name: "GreenroomDecisions",
            dependencies: ["GreenroomMedia", "GreenroomModel", "GreenroomPluginInterface"]),
        .target(
            name: "GreenroomSession",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomAudio", "GreenroomConversion",
                "GreenroomDecisions",
                "GreenroomLifecycle",
                "GreenroomMedia", "GreenroomModel", "GreenroomNegotiation",
                "GreenroomOutputs", "GreenroomPluginInterface", "GreenroomRuntime",
                "GreenroomSchema", "StageDecisions", "GreenroomSystem", "GreenroomVideo",
            ]),
        .target(
            name: "GreenroomIsolation",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomConversion",
                "GreenroomIPC", "GreenroomLifecycle", "GreenroomMedia",
                "GreenroomModel", "GreenroomNegotiation", "GreenroomPluginInterface",
                "GreenroomRuntime", "GreenroomSandbox", "GreenroomSystem", "GreenroomVideo",
            ]),
        .executableTarget(
            name: "greenroom-runner",
            dependencies: [
                "CLinux", "GreenroomIPC", "GreenroomMedia", "GreenroomPluginInterface",
                "GreenroomRunner", "GreenroomSandbox",
            ]),
        .target(
            name: "GreenroomConfig",
            dependencies: [
                "GreenroomMedia", "GreenroomModel", "GreenroomOutputs",
                "GreenroomSchema", "GreenroomSession", "GreenroomSystem",
                external("Yams", of: "Yams", for: "Host"),
            ]),
        // What authors of plugins import in their tests: a session without processes.
        .target(
            name: "GreenroomTesting",
            dependencies: [
                "GreenroomABI", "GreenroomLifecycle", "GreenroomMedia",
                "GreenroomModel", "GreenroomNegotiation", "GreenroomOutputs", "GreenroomPlugin",
                "GreenroomPluginInterface", "GreenroomRuntime", "GreenroomSession",
            ]),
        // How the validator leads one plugin through its life, and watches it.
        .target(
            name: "GreenroomHarness",
            dependencies: [
                "GreenroomABI", "GreenroomAudio", "GreenroomConversion", "GreenroomIPC",
                "GreenroomIsolation", "GreenroomLifecycle", "GreenroomMedia",
                "GreenroomModel", "GreenroomNegotiation", "GreenroomPluginInterface",
                "GreenroomRunner", "GreenroomRuntime", "GreenroomVideo",
            ]),
        .target(
            name: "GreenroomValidator",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomConversion", "GreenroomHarness", "GreenroomIPC",
                "GreenroomIsolation", "GreenroomLifecycle",
                "GreenroomMedia", "GreenroomModel", "GreenroomNegotiation",
                "GreenroomPluginInterface", "GreenroomRunner", "GreenroomRuntime",
                "GreenroomSystem",
            ]),
        .target(
            name: "GreenroomHost",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomConfig", "GreenroomIsolation",
                "GreenroomLifecycle", "GreenroomMedia",
                "GreenroomModel", "GreenroomNegotiation", "GreenroomOutputs",
                "GreenroomPluginInterface", "GreenroomRuntime", "GreenroomSandbox",
                "GreenroomSchema", "GreenroomSession", "GreenroomSystem", "GreenroomVideo",
                systemPackage,
            ]),
        // How other programs of the same user find, watch and steer a running session.
        .target(
            name: "GreenroomOperate",
            dependencies: [
                "CLinux", "GreenroomConfig", "GreenroomMedia", "GreenroomModel",
                "GreenroomOutputs", "GreenroomSession", "GreenroomSystem", systemPackage,
            ]),
        .executableTarget(
            name: "greenroom",
            dependencies: [
                "CExit", "CLinux", "CPNG", "CPluginTemplates", "GreenroomABI", "GreenroomALSA",
                "GreenroomAudio", "GreenroomConfig", "GreenroomConversion", "GreenroomDecisions",
                "GreenroomHarness", "GreenroomHost", "GreenroomIsolation",
                "GreenroomLifecycle", "GreenroomMedia", "GreenroomModel",
                "GreenroomNegotiation", "GreenroomOperate", "GreenroomOutputs",
                "GreenroomPluginInterface", "RoomAccess", "GreenroomRuntime", "GreenroomSandbox",
                "GreenroomSchema", "GreenroomSession", "GreenroomSystem", "GreenroomV4L2",
                "GreenroomValidator", "GreenroomVideo", "GreenroomX11",
                external("ArgumentParser", of: "swift-argument-parser", for: "Host"),
            ],
            linkerSettings: [.linkedLibrary(":libpng.a"), .linkedLibrary(":libz.a")]),

        // Tests, one target a module.
        .testTarget(name: "GreenroomMediaTests", dependencies: ["GreenroomMedia"]),
        .testTarget(
            name: "GreenroomConversionTests",
            dependencies: [
                "CGreenroomKernels", "GreenroomConversion", "GreenroomMedia", "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomFilesTests",
            dependencies: [
                "CSndFile", "GreenroomFiles", "GreenroomMedia", "GreenroomSystem", "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomPluginTests",
            dependencies: [
                "CPNG", "CSndFile", "GreenroomABI", "GreenroomConversion", "GreenroomPlugin",
                "GreenroomMedia", "TestSupport",
            ]),
        .testTarget(name: "MediaDecisionsTests", dependencies: ["MediaDecisions"]),
        .testTarget(
            name: "GreenroomTestingTests",
            dependencies: ["GreenroomPlugin", "GreenroomTesting", "TestSupport"]),
        .testTarget(
            name: "StageDecisionsTests", dependencies: ["GreenroomMedia", "StageDecisions"]),
        .testTarget(
            name: "GreenroomALSATests", dependencies: ["GreenroomALSA", "GreenroomMedia"]),
        .testTarget(
            name: "GreenroomAudioTests",
            dependencies: ["GreenroomAudio", "GreenroomMedia", "GreenroomRuntime", "TestSupport"]),
        .testTarget(
            name: "GreenroomNegotiationTests",
            dependencies: ["GreenroomMedia", "GreenroomNegotiation", "TestSupport"]),
        .testTarget(
            name: "GreenroomVideoTests",
            dependencies: [
                "GreenroomABI", "GreenroomAudio", "GreenroomConversion", "GreenroomLifecycle",
                "GreenroomMedia", "GreenroomModel", "GreenroomNegotiation",
                "GreenroomPluginInterface", "GreenroomRuntime", "GreenroomVideo", "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomRuntimeTests", dependencies: ["GreenroomRuntime", "TestSupport"]),
        .testTarget(
            name: "GreenroomLifecycleTests",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomAudio", "GreenroomConversion",
                "GreenroomLifecycle", "GreenroomMedia",
                "GreenroomModel", "GreenroomNegotiation", "GreenroomPluginInterface",
                "GreenroomRuntime", "GreenroomVideo", "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomOutputsTests",
            dependencies: ["GreenroomMedia", "GreenroomModel", "GreenroomOutputs"]),
        .testTarget(
            name: "GreenroomSessionTests",
            dependencies: [
                "GreenroomABI", "GreenroomAudio", "GreenroomConversion", "GreenroomDecisions",
                "GreenroomFiles",
                "GreenroomLifecycle", "GreenroomMedia", "GreenroomModel",
                "GreenroomNegotiation", "GreenroomOutputs", "GreenroomPluginInterface",
                "GreenroomRuntime", "GreenroomSession", "GreenroomSystem", "GreenroomVideo",
                "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomConfigTests",
            dependencies: [
                "GreenroomConfig", "GreenroomLifecycle", "GreenroomMedia", "GreenroomModel",
                "GreenroomNegotiation", "GreenroomOutputs", "GreenroomSchema", "GreenroomSession",
                "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomIPCTests",
            dependencies: [
                "CLinux", "GreenroomNegotiation", "GreenroomIPC", "GreenroomPluginInterface",
                "GreenroomMedia", "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomIsolationTests",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomConversion", "GreenroomIPC",
                "GreenroomIsolation", "GreenroomLifecycle", "GreenroomMedia", "GreenroomModel",
                "GreenroomNegotiation", "GreenroomPluginInterface", "GreenroomRunner",
                "GreenroomRuntime", "GreenroomSystem", "GreenroomVideo", "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomSandboxTests",
            dependencies: ["CSeccomp", "GreenroomSandbox", "sandbox-probe", "TestSupport"]),
        .executableTarget(
            name: "sandbox-probe",
            dependencies: ["CSeccomp", "GreenroomALSA", "GreenroomMedia", "GreenroomSandbox"],
            path: "Tests/SandboxProbe"),
        .testTarget(
            name: "PluginEncodingTests",
            dependencies: ["CFFmpeg", "PluginEncoding", "GreenroomMedia", "GreenroomPlugin"]),
        .testTarget(
            name: "CommandDecisionsTests",
            dependencies: ["CommandDecisions", "GreenroomMedia", "GreenroomPlugin"]),
        .testTarget(
            name: "BrowserDecisionsTests",
            dependencies: [
                "BrowserDecisions", "GreenroomMedia", "GreenroomSchema", "PluginProcess",
                "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomV4L2Tests",
            dependencies: ["CFakeCamera", "PluginCamera", "GreenroomMedia", "GreenroomV4L2"]),
        .target(name: "CFakeCamera", dependencies: ["CV4L2"], path: "Tests/FakeCamera"),
        .testTarget(
            name: "GreenroomX11Tests", dependencies: ["GreenroomMedia", "GreenroomX11"]),
        .testTarget(
            name: "PluginEffectsTests", dependencies: ["PluginEffects", "GreenroomMedia"]),
        .testTarget(
            name: "RoomDecisionsTests",
            dependencies: [
                "CGStreamer", "GreenroomMedia", "RoomAccess", "RoomDecisions", "TestSupport",
            ]),
        .testTarget(
            name: "PluginImagesTests",
            dependencies: ["CTurboJPEG", "PluginImages", "GreenroomMedia", "TestSupport"]),
        .testTarget(
            name: "GreenroomABITests",
            dependencies: ["GreenroomABI", "GreenroomMedia", "TestSupport"]),

        .testTarget(
            name: "GreenroomValidatorTests",
            dependencies: [
                "GreenroomModel",
                "GreenroomConversion", "GreenroomHarness", "GreenroomIsolation",
                "GreenroomPluginInterface",
                "GreenroomMedia", "GreenroomRuntime", "GreenroomValidator", "TestSupport",
            ]),

        // Tests of the real programs; they import nothing of what they test. Modules are built in reverse
        // order of their names: this one, by far the largest, is first, and no processor waits for it.
        .testTarget(
            name: "ProgramTests", dependencies: ["SessionTestSupport", "TestSupport"],
            // Tests/nightly.sh compiles and runs them, too.
            exclude: Context.environment["GREENROOM_NIGHTLY"] == nil ? ["Nightly"] : []),
        // The samples of `Samples/VendorStyle` in the tests' process.
        .testTarget(
            name: "VendorStyleTests",
            dependencies: [
                "AgoraStyle", "AzureStyle", "GreenroomTesting", "ReceiverSamples", "ZoomStyle",
            ]),
        // Whole sessions of files and plugin libraries in the tests' process.
        .testTarget(
            name: "GreenroomHostTests",
            dependencies: [
                "GreenroomConfig", "GreenroomHost", "GreenroomIsolation", "GreenroomMedia",
                "GreenroomLifecycle", "GreenroomModel", "GreenroomOutputs",
                "GreenroomPluginInterface", "GreenroomSchema", "GreenroomSession",
                "SessionTestSupport", "TestSupport",
            ]),
        .target(
            name: "SessionTestSupport", dependencies: ["TestSupport"],
            path: "Tests/SessionTestSupport"),
        .target(
            name: "TestSupport", dependencies: [systemPackage], path: "Tests/TestSupport"),
        // What Tests/run.sh shows of a run.
        .executableTarget(name: "test-progress", path: "Tests/Progress"),
    ] + bundledPlugins.map(\.target) + vendorStyles
)

// `Tests/Fuzz/run.sh`: an entry point of libFuzzer can't be built beside those of other programs.
// Its targets have tests of their own in the tests of each change.
let fuzzed: [Target.Dependency] = [
    "GreenroomABI", "GreenroomConfig", "GreenroomIPC", "GreenroomConversion", "GreenroomFiles",
    "PluginImages", "GreenroomIsolation", "GreenroomLifecycle", "GreenroomMedia",
    "GreenroomModel", "GreenroomNegotiation", "GreenroomPluginInterface", "RoomDecisions",
    "GreenroomRuntime", "GreenroomVideo", "WaveFile",
]
if Context.environment["GREENROOM_FUZZ"] != nil {
    package.targets.removeAll { $0.name == "GreenroomIsolationTests" }
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: fuzzed, path: "Tests/Fuzz", exclude: ["run.sh", "SeedTests.swift"],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
} else {
    package.targets.append(
        .testTarget(
            name: "FuzzTests", dependencies: fuzzed + ["TestSupport"], path: "Tests/Fuzz",
            exclude: ["run.sh", "Fuzz.swift"]))
}

// `Tests/Benchmarks/conversions.sh`: the libraries that it compares with are needed by nothing else.
if Context.environment["GREENROOM_BENCHMARK"] != nil {
    package.targets += [
        .target(
            name: "CPeers", path: "Tests/Benchmarks/Peers",
            cSettings: gstreamerHeaders,
            linkerSettings: [
                .linkedLibrary("avutil"), .linkedLibrary("swscale"), .linkedLibrary("zimg"),
                .linkedLibrary("gstcheck-1.0"),
                .linkedLibrary("gstreamer-1.0"), .linkedLibrary("gobject-2.0"),
                .linkedLibrary("glib-2.0"),
            ]),
        .executableTarget(
            name: "conversion-benchmark",
            dependencies: [
                "CGreenroomKernels", "CLibYUV", "CPeers", "GreenroomConversion", "PluginEffects",
                "GreenroomMedia",
            ],
            path: "Tests/Benchmarks/Conversions"),
    ]
}

// What has no loop over pixels, samples, or bytes from anybody: optimizing it took two fifths of the release
// build's processor time.
let unoptimized: Set = [
    "GreenroomConfig", "GreenroomDecisions", "GreenroomHarness", "GreenroomHost",
    "GreenroomNegotiation",
    "GreenroomOperate", "GreenroomSandbox", "GreenroomSchema", "GreenroomSession", "GreenroomV4L2",
    "GreenroomValidator", "GreenroomX11", "RoomAccess", "StageDecisions", "TestSupport",
    "greenroom",
    "sandbox-probe",
    "test-progress",
]

// Of the tests only those that simulate hours of audio and of timestamps, and those that compute every
// pixel anew.
let optimizedTests: Set = [
    "GreenroomAudioTests", "GreenroomConversionTests", "GreenroomRuntimeTests",
]

func isUnoptimized(_ target: Target) -> Bool {
    target.type == .test
        ? !optimizedTests.contains(target.name) : unoptimized.contains(target.name)
}

for target in package.targets where target.type != .system {
    // The tests run what users run: the release build. They see what is internal there.
    let flags =
        (target.type == .test ? [] : ["-enable-testing"])
        // Without optimization the compiler would read each module twice, the first time for its interface.
        + (isUnoptimized(target) ? ["-Onone", "-no-emit-module-separately-wmo"] : [])
    let isVendorStyle = vendorStyles.contains { $0 === target } || target.name == "VendorStyleTests"
    target.swiftSettings =
        (target.swiftSettings ?? []) + (isVendorStyle ? [.swiftLanguageMode(.v5)] : strict)
        + [.unsafeFlags(flags, .when(configuration: .release))]
}
