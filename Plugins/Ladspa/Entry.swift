import PluginEffects
import GreenroomPlugin

/// Describes the LADSPA effects of a loaded library as plugins of Greenroom.
///
/// - Parameters:
///   - handle: The library, from dlopen; it stays loaded.
///   - name: Its name after its file.
///   - indices: Gets the index of the first plugin in the entry, and their number; without a plugin 1 for
///     effects of a kind that Greenroom does not have, else 0.
///   - reason: Receives the reason of a refusal, with a zero at the end.
///   - capacity: The size of `reason`.
/// - Returns: The `gr_entry`, the same for all effects; nil without a plugin.
@c(greenroom_ladspa_open)
public func ladspaOpen(
    _ handle: UnsafeMutableRawPointer?, _ name: UnsafePointer<CChar>?,
    _ indices: UnsafeMutablePointer<UInt32>?, _ reason: UnsafeMutablePointer<CChar>?,
    _ capacity: Int
) -> UnsafeRawPointer? {
    guard let handle, let indices, let reason, capacity > 0 else { return nil }
    do throws(PluginError) {
        let effects = try LadspaEffect.all(in: handle)
        let export = exportPlugins(
            adding: effects.map { effect in
                LadspaFilter.export(
                    PluginVariant(
                        description: effect.description, defaults: LadspaSettings(effect),
                        table: effect.settings))
            })
        (indices[0], indices[1]) = (export.index, UInt32(clamping: effects.count))
        return export.entry
    } catch {
        write(reason: error.text, to: reason, capacity: capacity)
        (indices[0], indices[1]) = (error.status == .unsupported ? 1 : 0, 0)
        return nil
    }
}
