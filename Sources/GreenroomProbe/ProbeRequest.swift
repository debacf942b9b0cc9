package import GreenroomIPC

/// What the validator asks of a probe, before an instance is created.
package struct ProbeRequest: Equatable, Sendable {
    /// The id of an extension of the host that the plugin does not get.
    package var withheldExtension: String?
    /// Whether access to a frame that the plugin does not have kills its process. The answer is then
    /// the address of the frames' memory in that process.
    package var guardsFrames: Bool

    package init(withheldExtension: String?, guardsFrames: Bool) {
        self.withheldExtension = withheldExtension
        self.guardsFrames = guardsFrames
    }

    package func write(to writer: inout WireWriter) {
        writer.write(withheldExtension) { $0.write($1) }
        writer.write(guardsFrames)
    }

    package init(from reader: inout WireReader) throws(WireReader.Problem) {
        withheldExtension = try reader.readOptional { reader throws(WireReader.Problem) in
            try reader.readString()
        }
        guardsFrames = try reader.readBool()
    }
}
