// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Bouncer",
    dependencies: [.package(name: "greenroom", path: "../..", traits: ["Broadcast"])],
    targets: [
        .executableTarget(
            name: "Bouncer",
            dependencies: [.product(name: "GreenroomBroadcast", package: "greenroom")])
    ]
)
