package import GreenroomIPC

/// The validator's request to a probe, before an instance is created.
package struct ProbeRequest: Equatable, Sendable {
    /// The id of a host extension to hide from the plugin.
    package var withheldExtension: String?
    /// Whether access to a frame outside its lease kills the process. The answer is then the
    /// address of the frames' memory in that process.
    package var guardsFrames: Bool

    package init(withheldExtension: String?, guardsFrames: Bool) {
        self.withheldExtension = withheldExtension
        self.guardsFrames = guardsFrames
    }

    package func write(to writer: inout WireWriter) {
        writer.write(withheldExtension) { $0.write($1) }
        writer.write(guardsFrames)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        withheldExtension = try reader.readOptional { reader throws(WireError) in
            try reader.readString()
        }
        guardsFrames = try reader.readBool()
    }
}
