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

/// A bundled media plugin: `Plugins/<name>`, built as the shared library `lib<name>.so`.
struct BundledPlugin {
    var name: String
    var dependencies: [Target.Dependency] = []

    var product: Product { .library(name: name, type: .dynamic, targets: [name]) }
    var target: Target {
        .target(
            name: name, dependencies: ["GreenroomPlugin"] + dependencies, path: "Plugins/\(name)",
            linkerSettings: [
                .unsafeFlags([
                    "-Xlinker", "--version-script=\(Context.packageDirectory)/Plugins/exports.map",
                ])
            ])
    }
}

let bundledPlugins: [BundledPlugin] = [
    BundledPlugin(name: "Adjust", dependencies: ["GreenroomFilters"]),
    BundledPlugin(name: "AlsaMicrophone", dependencies: ["GreenroomALSA"]),
    BundledPlugin(name: "ColorBars"),
    BundledPlugin(name: "Slides", dependencies: ["GreenroomImages"]),
    BundledPlugin(name: "Tone"),
    BundledPlugin(name: "Watermark", dependencies: ["GreenroomImages"]),
    BundledPlugin(name: "WaveFile", dependencies: ["GreenroomFiles"]),
    BundledPlugin(name: "Y4MFile", dependencies: ["GreenroomFiles"]),
]

let package = Package(
    name: "greenroom",
    products: [
        .library(name: "GreenroomPlugin", targets: ["GreenroomPlugin"]),
        .library(name: "GreenroomValidator", targets: ["GreenroomValidator"]),
        .library(name: "GreenroomBroadcast", targets: ["GreenroomBroadcast"]),
        .library(
            name: "greenroom-broadcast", type: .dynamic, targets: ["GreenroomBroadcastLibrary"]),
        .library(name: "greenroom-meter", type: .dynamic, targets: ["GreenroomMeter"]),
        .executable(name: "greenroom", targets: ["greenroom"]),
        .executable(name: "greenroom-runner", targets: ["greenroom-runner"]),
    ] + bundledPlugins.map(\.product),
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // C: the contract, and the libraries of the host.
        .systemLibrary(name: "GreenroomABI"),
        .target(name: "CALSA", linkerSettings: [.linkedLibrary("asound")]),
        .target(name: "CLibYUV", linkerSettings: [.linkedLibrary("yuv")]),
        .target(name: "CLinux"),
        .target(name: "CSeccomp", linkerSettings: [.linkedLibrary(":libseccomp.a")]),
        .systemLibrary(name: "CSpeexDSP", providers: [.apt(["libspeexdsp-dev"])]),
        // C: the libraries of bundled plugins.
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),

        // C: what counts in a plugin's process while it is validated.
        .target(name: "GreenroomMeter"),

        // Values.
        .target(name: "GreenroomMedia"),
        // What a session file says, as the session uses it.
        .target(name: "GreenroomModel", dependencies: ["GreenroomMedia"]),

        // What plugin authors import.
        .target(name: "GreenroomPlugin", dependencies: ["GreenroomABI", "GreenroomMedia"]),

        // What bundled plugins share.
        .target(
            name: "GreenroomImages",
            dependencies: ["CLibYUV", "CPNG", "CTurboJPEG", "GreenroomMedia"]),
        .target(name: "GreenroomFilters", dependencies: ["GreenroomMedia"]),

        // The host, bottom up.
        .target(name: "GreenroomRuntime"),
        .target(
            name: "GreenroomPluginInterface", dependencies: ["GreenroomABI", "GreenroomMedia"]),
        .target(
            name: "GreenroomIPC",
            dependencies: ["CLinux", "GreenroomABI", "GreenroomPluginInterface", "GreenroomMedia"]),
        .target(
            name: "GreenroomSandbox", dependencies: ["CLinux", "CSeccomp", "GreenroomIPC"]),
        .target(
            name: "GreenroomRunner",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomIPC", "GreenroomPluginInterface",
                "GreenroomMedia",
            ]),

        // What authors of broadcasts import, or link with.
        .target(
            name: "GreenroomBroadcast",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomIPC", "GreenroomPluginInterface",
                "GreenroomMedia",
                "GreenroomPlugin", "GreenroomRunner",
            ]),
        .target(
            name: "GreenroomBroadcastLibrary",
            dependencies: ["GreenroomABI", "GreenroomBroadcast", "GreenroomMedia"],
            exclude: ["exports.map"],
            linkerSettings: [
                .unsafeFlags([
                    "-Xlinker",
                    "--version-script=\(Context.packageDirectory)"
                        + "/Sources/GreenroomBroadcastLibrary/exports.map",
                ])
            ]),

        .target(name: "GreenroomSchema", dependencies: ["GreenroomMedia"]),
        .target(name: "GreenroomConversion", dependencies: ["CLibYUV", "GreenroomMedia"]),
        .target(name: "GreenroomFiles", dependencies: ["GreenroomMedia"]),
        .target(name: "GreenroomALSA", dependencies: ["CALSA", "GreenroomMedia"]),
        .target(
            name: "GreenroomSession",
            dependencies: [
                "CSpeexDSP", "GreenroomABI", "GreenroomALSA", "GreenroomConversion",
                "GreenroomFiles", "GreenroomPluginInterface", "GreenroomMedia", "GreenroomModel",
                "GreenroomRuntime", "GreenroomSchema",
            ],
            linkerSettings: [.linkedLibrary(":libspeexdsp.a")]),
        .target(
            name: "GreenroomIsolation",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomIPC", "GreenroomConversion",
                "GreenroomSession", "GreenroomPluginInterface", "GreenroomMedia", "GreenroomModel",
                "GreenroomRuntime", "GreenroomSandbox",
            ]),
        .executableTarget(
            name: "greenroom-runner",
            dependencies: [
                "CLinux", "GreenroomIPC", "GreenroomPluginInterface", "GreenroomRunner",
                "GreenroomSandbox",
            ]),
        .target(
            name: "GreenroomConfig",
            dependencies: [
                "GreenroomMedia", "GreenroomModel", "GreenroomSchema", "GreenroomSession",
                .product(name: "Yams", package: "Yams"),
            ]),
        // How the validator leads one plugin through its life, and watches it.
        .target(
            name: "GreenroomHarness",
            dependencies: [
                "GreenroomABI", "GreenroomConversion", "GreenroomIPC", "GreenroomIsolation",
                "GreenroomMedia", "GreenroomModel", "GreenroomPluginInterface", "GreenroomSession",
            ]),
        .target(
            name: "GreenroomValidator",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomIPC", "GreenroomConversion",
                "GreenroomHarness",
                "GreenroomSession", "GreenroomIsolation", "GreenroomPluginInterface",
                "GreenroomMedia", "GreenroomModel", "GreenroomRuntime",
            ]),
        .target(
            name: "GreenroomHost",
            dependencies: [
                "GreenroomConfig", "GreenroomConversion", "GreenroomIsolation", "GreenroomMedia",
                "GreenroomModel", "GreenroomPluginInterface", "GreenroomRuntime",
                "GreenroomSandbox", "GreenroomSchema", "GreenroomSession",
            ]),
        .executableTarget(
            name: "greenroom",
            dependencies: [
                "CLinux", "GreenroomALSA", "GreenroomConfig", "GreenroomConversion",
                "GreenroomFiles", "GreenroomHost", "GreenroomSession", "GreenroomIsolation",
                "GreenroomPluginInterface",
                "GreenroomMedia", "GreenroomModel", "GreenroomRuntime", "GreenroomSandbox",
                "GreenroomSchema",
                "GreenroomValidator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),

        // Tests, one target a module.
        .testTarget(name: "GreenroomMediaTests", dependencies: ["GreenroomMedia", "GreenroomABI"]),
        .testTarget(
            name: "GreenroomConversionTests",
            dependencies: ["GreenroomConversion", "GreenroomMedia"]),
        .testTarget(
            name: "GreenroomFilesTests",
            dependencies: ["GreenroomFiles", "GreenroomMedia", "TestSupport"]),
        .testTarget(
            name: "GreenroomPluginTests",
            dependencies: [
                "CPNG", "GreenroomABI", "GreenroomPlugin", "GreenroomMedia", "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomALSATests", dependencies: ["GreenroomALSA", "GreenroomMedia"]),
        .testTarget(
            name: "GreenroomRuntimeTests", dependencies: ["GreenroomRuntime", "TestSupport"]),
        .testTarget(
            name: "GreenroomSessionTests",
            dependencies: [
                "GreenroomABI", "GreenroomConversion", "GreenroomSession",
                "GreenroomPluginInterface",
                "GreenroomMedia", "GreenroomModel", "GreenroomRuntime", "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomConfigTests",
            dependencies: [
                "GreenroomConfig", "GreenroomMedia", "GreenroomModel", "GreenroomSchema",
                "GreenroomSession",
            ]),
        .testTarget(
            name: "GreenroomIPCTests",
            dependencies: ["GreenroomIPC", "GreenroomPluginInterface", "GreenroomMedia"]),
        .testTarget(
            name: "GreenroomIsolationTests",
            dependencies: [
                "CLinux", "GreenroomABI", "GreenroomIPC", "GreenroomConversion",
                "GreenroomSession", "GreenroomIsolation", "GreenroomPluginInterface",
                "GreenroomMedia", "GreenroomModel", "GreenroomRuntime",
                "TestSupport",
            ]),
        .testTarget(
            name: "GreenroomSandboxTests",
            dependencies: ["CSeccomp", "GreenroomSandbox", "sandbox-probe", "TestSupport"]),
        .executableTarget(
            name: "sandbox-probe",
            dependencies: ["CSeccomp", "GreenroomALSA", "GreenroomMedia", "GreenroomSandbox"],
            path: "Tests/SandboxProbe"),
        .testTarget(
            name: "GreenroomFiltersTests", dependencies: ["GreenroomFilters", "GreenroomMedia"]),
        .testTarget(
            name: "GreenroomImagesTests",
            dependencies: ["CTurboJPEG", "GreenroomImages", "GreenroomMedia"]),
        .testTarget(
            name: "GreenroomABITests",
            dependencies: ["GreenroomABI", "GreenroomMedia", "TestSupport"]),

        .testTarget(
            name: "GreenroomValidatorTests",
            dependencies: [
                "GreenroomConversion", "GreenroomHarness", "GreenroomSession", "GreenroomIsolation",
                "GreenroomPluginInterface",
                "GreenroomMedia", "GreenroomRuntime", "GreenroomValidator", "TestSupport",
            ]),

        // Tests of the real binaries; they import nothing of what they test.
        .testTarget(name: "EndToEndTests", dependencies: ["TestSupport"]),
        .target(name: "TestSupport", path: "Tests/TestSupport"),
    ] + bundledPlugins.map(\.target)
)

// `Tests/Fuzz/run.sh`: an entry point of libFuzzer can't be built beside those of other programs.
if Context.environment["GREENROOM_FUZZ"] != nil {
    package.targets.removeAll { $0.name == "GreenroomIsolationTests" }
    package.targets.append(
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "GreenroomABI", "GreenroomIPC", "GreenroomConversion", "GreenroomSession",
                "GreenroomIsolation", "GreenroomPluginInterface", "GreenroomMedia",
                "GreenroomRuntime",
            ], path: "Tests/Fuzz", exclude: ["run.sh"],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]))
}

for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + strict
    // The tests run what users run: the release build. They see what is internal there, and are
    // themselves not worth the time that optimizing takes.
    target.swiftSettings?.append(
        .unsafeFlags(
            [target.type == .test ? "-Onone" : "-enable-testing"],
            .when(configuration: .release)))
}
