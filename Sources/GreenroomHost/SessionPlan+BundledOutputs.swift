import Glibc
package import GreenroomLifecycle
import GreenroomMedia
import GreenroomModel
import GreenroomPluginInterface
import GreenroomSession
import GreenroomSystem
import SystemPackage

extension SessionPlan {
    /// Reasons why bundled outputs would fail: links, pipes and files in the place of their files, and missing
    /// devices. `record` finds its own.
    var bundledOutputWarnings: [ConfigurationProblem] {
        plugins.compactMap { address, plugin in
            guard case .output(let index) = address,
                configuration.outputs[index].output.writtenFolder == nil,
                let (setting, problem) = Self.problem(of: plugin)
            else { return nil }
            return ConfigurationProblem(problem, at: "\(address).settings.\(setting)")
        }
    }

    /// The setting with the file or folder that a bundled output writes, by the output's id.
    private static let written = [
        "org.greenroom.frame-folder": (setting: "folder", isFolder: true),
        "org.greenroom.speaker-file": ("path", false), "org.greenroom.recorder": ("file", false),
    ]

    /// The report of a session that records no folder: `talk.report.json` beside `talk.mkv`, which its first
    /// bundled output that writes a file or a folder writes; nil if none does.
    var pathOfReport: String? {
        outputs.sorted { $0.key < $1.key }.lazy.compactMap { _, plugin -> String? in
            guard let (setting, isFolder) = Self.written[plugin.descriptor.id],
                let path = plugin.text(setting)
            else { return nil }
            let slash = path.lastIndex(of: "/") ?? path.startIndex
            let dot = isFolder ? nil : path[slash...].lastIndex(of: ".")
            return "\(path[..<(dot ?? path.endIndex)]).report.json"
        }.first
    }

    /// Bundled outputs in a separate process that may not write where their settings say, each with the
    /// grant that is missing.
    package var missingWriteGrants: [(plugin: SourcePlan, problem: ConfigurationProblem)] {
        plugins.compactMap { address, plugin in
            guard case .output(let index) = address, let isolation = plugin.isolation,
                isolation.sandbox != .off,
                configuration.outputs[index].output.writtenFolder == nil,
                let (setting, isFolder) = Self.written[plugin.descriptor.id]
            else { return nil }
            let path = plugin.text(setting) ?? ""
            var folder = isFolder ? path : Self.folder(of: path)
            while resolvedPath(folder) == nil, folder != "/" { folder = Self.folder(of: folder) }
            let places = [resolvedPath(path), resolvedPath(folder)].compactMap(\.self)
            let isGranted = isolation.grants.write.compactMap(resolvedPath).contains { granted in
                places.contains { $0 == granted || granted == "/" || $0.hasPrefix("\(granted)/") }
            }
            guard !isGranted else { return nil }
            return (
                plugin,
                ConfigurationProblem(
                    "\(path): the plugin's process may not write there. Add allow: {write: [\(folder)]}.",
                    at: "\(address).settings.\(setting)")
            )
        }
    }

    /// `/a` of `/a/b`; `/` of `/a`.
    private static func folder(of path: String) -> String {
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        return parent.isEmpty ? "/" : parent
    }

    /// The setting that a bundled output would fail on, and why.
    private static func problem(of plugin: SourcePlan) -> (setting: String, problem: String)? {
        func value(_ name: String) -> ParameterValue? {
            plugin.settings.first { $0.name == name }?.value
        }
        func text(_ name: String) -> String { plugin.text(name) ?? "" }
        switch plugin.descriptor.id {
        case "org.greenroom.speaker-file":
            return problem(ofWriting: text("path"), replaces: true).map { ("path", $0) }
        case "org.greenroom.recorder":
            let isNumbered = ["segment-seconds", "segment-megabytes"].contains {
                if case .integer(let limit) = value($0) { limit > 0 } else { false }
            }
            let overwrites = value("overwrite") == .boolean(true)
            let file = isNumbered ? firstSegment(of: text("file")) : text("file")
            return problem(ofWriting: file, replaces: overwrites).map { ("file", $0) }
        case "org.greenroom.virtual-camera":
            return problem(ofDevice: text("device")).map { ("device", $0) }
        default: return nil
        }
    }

    /// `talk-001.mkv` of `talk.mkv`.
    private static func firstSegment(of file: String) -> String {
        guard let dot = file.lastIndex(of: ".") else { return file }
        return "\(file[..<dot])-001\(file[dot...])"
    }

    private static func problem(ofWriting path: String, replaces: Bool) -> String? {
        guard !path.isEmpty else { return nil }
        return FileDescriptor.outputProblem(path, replaces: replaces).map {
            "\(path): \($0.rule): \($0.cure)\($0.code == .exists ? ", or set overwrite: true" : "")"
        }
    }

    private static func problem(ofDevice path: String) -> String? {
        guard !path.isEmpty else { return nil }
        var about = stat()
        guard stat(path, &about) == 0 else {
            return "\(path): no such device. Load v4l2loopback, and check the name."
        }
        // The kernel's number for video devices.
        guard about.st_mode & S_IFMT == S_IFCHR, about.st_rdev >> 8 & 0xfff == 81 else {
            return "\(path): not a video device. Name a v4l2loopback device, such as /dev/video10."
        }
        guard access(path, R_OK | W_OK) == 0 else {
            return "\(path): this user cannot write to it. Add the user to the group video."
        }
        return nil
    }
}
