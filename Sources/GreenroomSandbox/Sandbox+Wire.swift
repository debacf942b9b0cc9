package import GreenroomIPC

// Serialisation of policy and report, between host and runner.

extension SandboxPolicy {
    package func write(to writer: inout WireWriter) {
        writer.write(mode.rawValue)
        for paths in [ownPaths, readPaths, writePaths, devicePaths] {
            writer.write(paths) { $0.write($1) }
        }
        writer.write(allowsNetwork)
        writer.write(makesMemory)
        writer.write(program ?? "")
        writer.write(temporaryFolder ?? "")
        writer.write(memoryLimitBytes)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        guard let mode = Mode(rawValue: try reader.readString()) else {
            throw WireError()
        }
        func readPaths(_ reader: inout WireReader) throws(WireError) -> [String] {
            try reader.readArray(limit: 256) { reader throws(WireError) in
                try reader.readString()
            }
        }
        var policy = SandboxPolicy(
            mode: mode, ownPaths: try readPaths(&reader), readPaths: try readPaths(&reader),
            writePaths: try readPaths(&reader), devicePaths: try readPaths(&reader),
            allowsNetwork: try reader.readBool(), makesMemory: try reader.readBool())
        let program = try reader.readString()
        policy.program = program.isEmpty ? nil : program
        let folder = try reader.readString()
        policy.temporaryFolder = folder.isEmpty ? nil : folder
        policy.memoryLimitBytes = try reader.read()
        self = policy
    }
}

extension SandboxReport {
    package func write(to writer: inout WireWriter) {
        writer.write(entries) {
            $0.write(UInt8(clamping: $1.layer.rawValue))
            $0.write($1.state.rawValue)
            $0.write($1.text)
        }
        writer.write(notes) { $0.write($1) }
        writer.write(hasFileBroker)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let entries = try reader.readArray(limit: 16) { reader throws(WireError) in
            guard let layer = SandboxLayer(rawValue: .init(try reader.read(UInt8.self))),
                let state = State(rawValue: try reader.read())
            else { throw WireError() }
            return Entry(layer: layer, state: state, text: try reader.readString())
        }
        self.init(
            entries: entries,
            notes: try reader.readArray(limit: 256) { reader throws(WireError) in
                try reader.readString()
            })
        hasFileBroker = try reader.readBool()
    }
}
