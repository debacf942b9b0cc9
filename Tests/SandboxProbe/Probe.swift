import Glibc
import GreenroomSandbox

/// What `sandbox-probe` is: the tests' stand-in for host and runner.
///
///     sandbox-probe [OPTION...] ACTION...
///
/// starts itself again as a plugin's process, which applies the policy that the options give
/// and makes each action; prints a line for each layer, result and refusal.
///
///     sandbox-probe --kernel PART,... PROGRAM ARGUMENT...
///
/// becomes that program, on a kernel without these parts of the sandbox.
@main enum Probe {
    static func main() {
        var words = Array(CommandLine.arguments.dropFirst())
        if words.contains("--available") {
            for entry in Sandbox.available.entries { print(line(of: entry)) }
            return
        }
        if words.first == "--kernel", words.count > 2 {
            for part in words[1].split(separator: ",") { PluginRole.takeAway("\(part)") }
            var arguments = words[2...].map { strdup($0) } + [nil]
            execv(words[2], &arguments)
            exit(127)
        }
        let isPlugin = words.first == "--plugin"
        if isPlugin { words.removeFirst() }
        guard let job = ProbeJob(words) else {
            print("bad arguments: \(words)")
            exit(2)
        }
        if isPlugin { PluginRole.run(job) } else { HostRole.run(job, words: words) }
    }

    static func line(of entry: SandboxReport.Entry) -> String {
        "layer \(entry.layer)=\(entry.state) \(entry.text)"
    }
}

/// What a probe is to do.
struct ProbeJob {
    var policy = SandboxPolicy()
    /// What of the kernel is taken away before the sandbox is applied: `landlock`,
    /// `notifications`, `openat2`, `seccomp`.
    var without: [String] = []
    /// The host writes the plugin's process to this file and kills itself when the plugin is in
    /// its sandbox.
    var abandon: String?
    /// The host takes no notifications.
    var isDeaf = false
    /// The plugin is told of a host that is not its own.
    var isOrphan = false
    /// In the plugin: the socket to the host, and the host.
    var socket: Int32 = -1
    var host: Int32 = 0
    var actions: [String] = []

    init?(_ words: [String]) {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                actions.append(word)
                continue
            }
            switch word {
            case "--network": policy.allowsNetwork = true
            case "--deaf": isDeaf = true
            case "--orphan": isOrphan = true
            default:
                guard let value = rest.popFirst() else { return nil }
                switch word {
                case "--mode":
                    guard let mode = SandboxPolicy.Mode(rawValue: value) else { return nil }
                    policy.mode = mode
                case "--own": policy.ownPaths.append(value)
                case "--read": policy.readPaths.append(value)
                case "--write": policy.writePaths.append(value)
                case "--temporary": policy.temporaryFolder = value
                case "--device": policy.devicePaths.append(value)
                case "--memory": policy.memoryLimitBytes = UInt64(value) ?? 0
                case "--without": without.append(value)
                case "--abandon": abandon = value
                case "--socket": socket = Int32(value) ?? -1
                case "--host": host = Int32(value) ?? 0
                default: return nil
                }
            }
        }
    }
}
