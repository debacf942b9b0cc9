import Glibc
import GreenroomPlugin

/// The functions of a frei0r effect, and its structs as the specification lays them out in memory.
struct Frei0rFunctions: Sendable {
    /// `f0r_plugin_info_t`.
    struct PluginInfo {
        var name: UnsafePointer<CChar>?
        var author: UnsafePointer<CChar>?
        var type: Int32 = -1
        var colorModel: Int32 = -1
        var interface: Int32 = 0
        var majorVersion: Int32 = 0
        var minorVersion: Int32 = 0
        var parameterCount: Int32 = 0
        var explanation: UnsafePointer<CChar>?
        /// Room for an effect that was built with a larger struct.
        var reserved: (Int, Int, Int, Int) = (0, 0, 0, 0)
    }

    /// `f0r_param_info_t`.
    struct ParameterInfo {
        var name: UnsafePointer<CChar>?
        var type: Int32 = -1
        var explanation: UnsafePointer<CChar>?
        var reserved: (Int, Int, Int, Int) = (0, 0, 0, 0)
    }

    /// `f0r_param_color_t`.
    struct ColorValue: Equatable {
        var red: Float = 0
        var green: Float = 0
        var blue: Float = 0
    }

    /// `f0r_param_position_t`.
    struct PositionValue: Equatable {
        var x = 0.0
        var y = 0.0
    }

    typealias Instance = UnsafeMutableRawPointer

    let initialize: @convention(c) () -> Int32
    let getPluginInfo: @convention(c) (UnsafeMutableRawPointer) -> Void
    let getParameterInfo: @convention(c) (UnsafeMutableRawPointer, Int32) -> Void
    let construct: @convention(c) (UInt32, UInt32) -> Instance?
    let destruct: @convention(c) (Instance) -> Void
    let setParameter: @convention(c) (Instance, UnsafeMutableRawPointer, Int32) -> Void
    let getParameter: @convention(c) (Instance, UnsafeMutableRawPointer, Int32) -> Void
    /// Filters and sources; a source gets no input.
    let update:
        @convention(c) (Instance, Double, UnsafeRawPointer?, UnsafeMutableRawPointer) -> Void

    /// - Parameter handle: The library, from dlopen.
    init(_ handle: UnsafeMutableRawPointer) throws(PluginError) {
        func symbol(_ name: String) throws(PluginError) -> UnsafeMutableRawPointer {
            guard let symbol = dlsym(handle, name) else {
                throw PluginError("not a frei0r effect: the library does not export \(name)")
            }
            return symbol
        }
        initialize = unsafeBitCast(
            try symbol("f0r_init"), to: (@convention(c) () -> Int32).self)
        getPluginInfo = unsafeBitCast(
            try symbol("f0r_get_plugin_info"),
            to: (@convention(c) (UnsafeMutableRawPointer) -> Void).self)
        getParameterInfo = unsafeBitCast(
            try symbol("f0r_get_param_info"),
            to: (@convention(c) (UnsafeMutableRawPointer, Int32) -> Void).self)
        construct = unsafeBitCast(
            try symbol("f0r_construct"), to: (@convention(c) (UInt32, UInt32) -> Instance?).self)
        destruct = unsafeBitCast(
            try symbol("f0r_destruct"), to: (@convention(c) (Instance) -> Void).self)
        setParameter = unsafeBitCast(
            try symbol("f0r_set_param_value"),
            to: (@convention(c) (Instance, UnsafeMutableRawPointer, Int32) -> Void).self)
        getParameter = unsafeBitCast(
            try symbol("f0r_get_param_value"),
            to: (@convention(c) (Instance, UnsafeMutableRawPointer, Int32) -> Void).self)
        // Mixers have only f0r_update2.
        guard let update = dlsym(handle, "f0r_update") else {
            throw PluginError(
                "a mixer of pictures; Greenroom does not support mixers",
                status: .unsupported)
        }
        self.update = unsafeBitCast(
            update,
            to: (@convention(c) (
                Instance, Double, UnsafeRawPointer?, UnsafeMutableRawPointer
            ) -> Void).self)
    }
}
