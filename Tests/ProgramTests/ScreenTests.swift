import Foundation
import Glibc
import SessionTestSupport
import TestSupport
import Testing

/// Tests of the plugin Screen with an X server that has no screen, and windows that change.
@Suite(.ownThreads) struct ScreenTests {
    /// How a preview runs the plugin: in its own process only with a grant.
    static func arguments(isIsolated: Bool, _ settings: String...) -> [String] {
        ["Screen"] + (isIsolated ? ["--allow-display"] : []) + settings.flatMap { ["--set", $0] }
    }

    @Test func `a window that can't be shared is an error with the fix`() throws {
        let server = try XServer()
        _ = try server.window("Counter")
        func refusal(
            _ arguments: [String], _ environment: [String: String?]? = nil
        ) throws -> String {
            let run = try Greenroom.start(
                ["preview"] + arguments + ["--duration", "1s"],
                environment: environment ?? server.environment
            ).wait()
            #expect(run.exit != .code(0))
            return "\(run)\(run.text)"
        }
        let table = [
            (["Screen", "--set", "window=nothing"], "no window named \"nothing\""),
            (["Screen", "--set", "monitor=DP-9"], "no monitor named \"DP-9\". Open: \"screen\""),
            (["Screen", "--set", "region=12by3"], "write WIDTHxHEIGHT+X+Y"),
            (
                ["Screen", "--set", "window=a", "--set", "monitor=b"],
                "exclude each other: keep one"
            ),
            (["Screen", "--allow-network"], "Add allow: {display: true} to the plugin."),
        ]
        for (arguments, text) in table {
            let refused = try refusal(arguments)
            #expect(refused.contains(text), "\(refused)")
        }
        let nowhere = try refusal(["Screen"], ["DISPLAY": nil, "WAYLAND_DISPLAY": nil])
        #expect(nowhere.contains("x11: DISPLAY is not set"), "\(nowhere)")
        let remote = try refusal(["Screen"], ["DISPLAY": "elsewhere:0", "WAYLAND_DISPLAY": nil])
        #expect(remote.contains("a display of another machine"), "\(remote)")
    }

    // MARK: - The desktop's dialog

    static func environment(_ server: PipeWireServer) -> [String: String?] {
        server.environment.merging([
            "DBUS_SESSION_BUS_ADDRESS": server.bus, "WAYLAND_DISPLAY": "wayland-0", "DISPLAY": nil,
        ]) { $1 }
    }
}
