import PluginEffects
import GreenroomPlugin

/// Describes a loaded frei0r effect as a plugin of Greenroom.
///
/// - Parameters:
///   - handle: The effect's library, from dlopen; it stays loaded.
///   - name: The name in session files, `frei0r-glow`.
///   - indices: Gets the plugin's index in the entry, and 1; without a plugin 1 for an effect of a kind that
///     Greenroom does not have, else 0.
///   - reason: Receives the reason of a refusal, with a zero at the end.
///   - capacity: The size of `reason`.
/// - Returns: The `gr_entry`, the same for all effects; nil without a plugin.
@c(greenroom_frei0r_open)
public func frei0rOpen(
    _ handle: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
    _ indices: UnsafeMutablePointer<UInt32>?, _ reason: UnsafeMutablePointer<CChar>?,
    _ capacity: Int
) -> UnsafeRawPointer? {
    guard let handle, let name, let indices, let reason, capacity > 0 else { return nil }
    do throws(PluginError) {
        let effect = try Frei0rEffect(Frei0rFunctions(handle), name: String(cString: name))
        let variant = PluginVariant(
            description: effect.description, defaults: Frei0rSettings(effect),
            table: effect.settings)
        let plugin =
            effect.isSource ? Frei0rSource.export(variant) : Frei0rFilter.export(variant)
        let export = exportPlugin(plugin)
        (indices[0], indices[1]) = (export.index, 1)
        return export.entry
    } catch {
        write(reason: error.text, to: reason, capacity: capacity)
        indices[0] = error.status == .unsupported ? 1 : 0
        return nil
    }
}
