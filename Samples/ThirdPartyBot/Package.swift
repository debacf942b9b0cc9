// swift-tools-version: 6.2
import PackageDescription

/// Shows only the entry of the library, so that its copy of the SDK stays private.
let exports = "\(Context.packageDirectory)/../../Plugins/exports.map"

let package = Package(
    name: "ThirdPartyBot",
    products: [.library(name: "Parrot", type: .dynamic, targets: ["Parrot"])],
    dependencies: [.package(name: "greenroom", path: "../..", traits: [])],
    targets: [
        .target(
            name: "Parrot",
            dependencies: [.product(name: "GreenroomPlugin", package: "greenroom")],
            linkerSettings: [.unsafeFlags(["-Xlinker", "--version-script=\(exports)"])])
    ]
)
