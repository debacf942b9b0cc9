import GreenroomSchema
import GreenroomMedia
import GreenroomModel

extension SessionFile {
    /// Entries for plugins that the session does not have.
    ///
    /// - Parameter root: The file: a section that is there and wrong is not told missing too.
    static func conflicts(
        of timeline: [Located<TimelineEntry>], in root: ConfigNode
    ) -> [Diagnostic] {
        timeline.compactMap { entry in
            let command = entry.value.command
            guard let target = command.target else { return nil }
            guard root.has(target) else {
                return Diagnostic(
                    "\(command.withoutPlugin). Add one, or remove the entry.", at: entry.place)
            }
            guard case .set = command, target.role.facts.takesBroadcast, root.hasBroadcast else {
                return nil
            }
            return Diagnostic(
                "a broadcast has no settings to change. Remove the entry.", at: entry.place)
        }
    }

    /// That a session would never end, and use all of the machine until then.
    static func endlessness(of session: SessionDecoder.Session) -> [Diagnostic] {
        guard let clock = session.clock, clock.value == .virtual, session.duration == nil else {
            return []
        }
        return [
            Diagnostic(
                "on the virtual clock a session needs a duration, or it would run for ever at full "
                    + "speed. Add one to \"session\", or --duration 10s.", at: clock.place)
        ]
    }

    /// That nobody could ever connect.
    static func haste(of session: SessionDecoder.Session, _ root: ConfigNode) -> [Diagnostic] {
        guard let clock = session.clock, clock.value == .virtual, root.hasBroadcast else {
            return []
        }
        return [
            Diagnostic(
                "on the virtual clock the session would be over before a broadcast connects. Use "
                    + "the real clock, or name a plugin in place of the broadcast.",
                at: clock.place)
        ]
    }

    /// Entries that are due when the session is over.
    var vainEntries: [Diagnostic] {
        guard let duration else { return [] }
        return timeline.filter { $0.value.time >= duration }.map {
            Diagnostic(
                "never executed: due at \($0.value.time.asWritten), and the session ends at "
                    + "\(duration.asWritten).", at: $0.place)
        }
    }

    /// Sizes that are never offered as they stand, because of the session's maximum.
    var vainSizes: [Diagnostic] {
        [table, moreSizes].compactMap { rows in
            guard let rows else { return nil }
            let above = rows.value.filter {
                $0.size.width > maximum.size.width || $0.size.height > maximum.size.height
                    || $0.rate > maximum.rate
            }
            guard !above.isEmpty else { return nil }
            return Diagnostic(
                "\(above.map(\.description).joined(separator: ", ")): above the session's maximum, "
                    + "\(maximum), and not offered as it stands. Raise \"maximum\".", at: rows.place
            )
        }
    }
}

extension ConfigNode {
    /// Whether a file has a section for a plugin.
    fileprivate func has(_ address: PluginAddress) -> Bool {
        guard let section = section(of: address.role) else { return false }
        guard let filter = address.filter else { return true }
        guard case .sequence(let nodes)? = section.value(of: PluginAddress.filtersKey)?.content
        else { return false }
        return filter < nodes.count
    }

    /// The section of a role.
    func section(of role: SessionRole) -> ConfigNode? {
        guard let parent = role.facts.parent else { return value(of: role.facts.key) }
        return section(of: parent)?.value(of: role.facts.key)
    }
}
