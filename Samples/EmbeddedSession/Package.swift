// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "EmbeddedSession",
    dependencies: [.package(name: "greenroom", path: "../..")],
    targets: [
        .executableTarget(
            name: "EmbeddedSession",
            dependencies: [.product(name: "GreenroomHost", package: "greenroom")])
    ]
)
