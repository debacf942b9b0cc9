import GreenroomABI
package import GreenroomNegotiation
package import GreenroomPluginInterface
package import GreenroomMedia

// Every value is checked when it is read: a runner's memory is also its plugin's.

extension WireWriter {
    package mutating func write(_ capability: VideoCapability) {
        write(UInt32(clamping: capability.size.width))
        write(UInt32(clamping: capability.size.height))
        write(capability.rate.numerator)
        write(capability.rate.denominator)
    }

    package mutating func write(_ editing: AudioEditing) {
        write(UInt32(clamping: editing.channels))
        write(UInt32(clamping: editing.delayFrames))
        write(editing.takesReference)
    }

    package mutating func write(_ offer: Offer) {
        write(offer.revision)
        write(offer.rule.rawValue)
        write(offer.reason.rawValue)
        write(offer.rows) { $0.write($1) }
        write(offer.suggested)
    }

    fileprivate mutating func write(_ track: OutputTrack) {
        write(track.id)
        write(track.kind)
        write(track.name)
        write(track.capability) { $0.write($1) }
        write(track.participant) {
            $0.write($1.number)
            $0.write($1.name)
        }
    }

    fileprivate mutating func write(_ demand: Demand) {
        write(demand.sender)
        write(demand.isWanted)
        write(demand.capability) { $0.write($1) }
    }

    package mutating func write(_ value: ParameterValue) {
        switch value {
        case .boolean(let value):
            write(UInt8(1))
            write(value)
        case .integer(let value):
            write(UInt8(2))
            write(value)
        case .number(let value):
            write(UInt8(3))
            write(value)
        case .string(let value):
            write(UInt8(4))
            write(value)
        }
    }

    package mutating func write(_ setting: PluginSetting) {
        write(setting.name)
        write(setting.type.rawValue)
        write(setting.value)
    }

    package mutating func write(_ parameter: Parameter) {
        write(parameter.name)
        write(parameter.title)
        write(parameter.type.rawValue)
        write(parameter.unit) { $0.write($1) }
        write(parameter.defaultValue) { $0.write($1) }
        write(parameter.bounds) {
            $0.write($1.lowerBound)
            $0.write($1.upperBound)
        }
        write(parameter.choices) { $0.write($1) }
        write(parameter.isLive)
        write(parameter.isResource)
        write(parameter.isSecret)
    }

    package mutating func write(_ descriptor: PluginDescriptor) {
        write(descriptor.kind.rawValue)
        write(descriptor.id)
        write(descriptor.name)
        write(descriptor.version)
        write(descriptor.summary)
        write(descriptor.vendor) { $0.write($1) }
        write(descriptor.url) { $0.write($1) }
        write(descriptor.parameters) { $0.write($1) }
        write(descriptor.needs.rawValue)
        write(descriptor.memoryMegabytes)
    }

    /// Writes the library's values except the path, which the reader already has.
    package mutating func write(_ library: LibraryDescription) {
        write(UInt32(clamping: library.minorVersion))
        write(library.descriptors) { $0.write($1) }
    }

    package mutating func write(_ error: LoadError) {
        write(error.code.rawValue)
        write(error.place)
        write(error.explanation)
    }
}

extension WireReader {
    package mutating func readCapability() throws(WireError) -> VideoCapability {
        let size = FrameSize(width: Int(try read(UInt32.self)), height: Int(try read(UInt32.self)))
        let (numerator, denominator) = (try read(UInt32.self), try read(UInt32.self))
        guard size.isLegal,
            let rate = FrameRate(numerator: numerator, denominator: denominator)
        else { throw WireError() }
        return VideoCapability(size: size, rate: rate)
    }

    package mutating func readAudioEditing() throws(WireError) -> AudioEditing {
        let editing = AudioEditing(
            channels: Int(try read(UInt32.self)), delayFrames: Int(try read(UInt32.self)),
            takesReference: try readBool())
        guard (1...2).contains(editing.channels),
            editing.delayFrames <= AudioEditing.longestDelayFrames
        else { throw WireError() }
        return editing
    }

    package mutating func readOffer() throws(WireError) -> Offer {
        let revision = try read(UInt32.self)
        guard let rule = OfferRule(rawValue: try read()),
            let reason = Offer.Reason(rawValue: try read())
        else { throw WireError() }
        let rows = try readArray(limit: 1024) { reader throws(WireError) in
            try reader.readCapability()
        }
        return Offer(
            revision: revision, rule: rule, reason: reason, rows: rows,
            suggested: try readCapability())
    }

    fileprivate mutating func readTrack() throws(WireError) -> OutputTrack {
        OutputTrack(
            id: try read(), kind: try read(), name: try readString(),
            capability: try readOptional { reader throws(WireError) in try reader.readCapability()
            },
            participant: try readOptional { reader throws(WireError) in
                OutputTrack.Participant(
                    number: try reader.read(), name: try reader.readString())
            })
    }

    fileprivate mutating func readDemand() throws(WireError) -> Demand {
        Demand(
            sender: try read(), isWanted: try readBool(),
            capability: try readOptional { reader throws(WireError) in try reader.readCapability() }
        )
    }

    package mutating func readValue() throws(WireError) -> ParameterValue {
        switch try read(UInt8.self) {
        case 1: .boolean(try readBool())
        case 2: .integer(try read())
        case 3: .number(try readDouble())
        case 4: .string(try readString())
        default: throw WireError()
        }
    }

    package mutating func readSetting() throws(WireError) -> PluginSetting {
        let name = try readString()
        guard let type = Parameter.ValueType(rawValue: try read()) else { throw WireError() }
        return PluginSetting(name: name, type: type, value: try readValue())
    }

    private mutating func readParameter() throws(WireError) -> Parameter {
        let (name, title) = (try readString(), try readString())
        guard let type = Parameter.ValueType(rawValue: try read()) else { throw WireError() }
        let unit = try readOptional { reader throws(WireError) in try reader.readString() }
        let defaultValue = try readOptional { reader throws(WireError) in try reader.readValue() }
        let bounds = try readOptional { reader throws(WireError) in
            let (minimum, maximum) = (try reader.readDouble(), try reader.readDouble())
            guard minimum <= maximum else { throw WireError() }
            return minimum...maximum
        }
        let choices = try readArray(limit: 1024) { reader throws(WireError) in
            try reader.readString()
        }
        return Parameter(
            name: name, title: title, type: type, unit: unit, defaultValue: defaultValue,
            bounds: bounds, choices: choices, isLive: try readBool(),
            isResource: try readBool(), isSecret: try readBool())
    }

    package mutating func readDescriptor() throws(WireError) -> PluginDescriptor {
        guard let kind = PluginKind(rawValue: try read()) else { throw WireError() }
        return PluginDescriptor(
            kind: kind, id: try readString(), name: try readString(), version: try readString(),
            summary: try readString(),
            vendor: try readOptional { reader throws(WireError) in try reader.readString() },
            url: try readOptional { reader throws(WireError) in try reader.readString() },
            parameters: try readArray(limit: 256) { reader throws(WireError) in
                try reader.readParameter()
            }, needs: PluginNeeds(rawValue: try read()), memoryMegabytes: try read())
    }

    /// - Parameter path: The library's file.
    package mutating func readLibrary(at path: String) throws(WireError) -> LibraryDescription {
        let library = LibraryDescription(
            path: path, minorVersion: Int(try read(UInt32.self)),
            descriptors: try readArray(limit: 256) { reader throws(WireError) in
                try reader.readDescriptor()
            })
        guard library.isLegal else { throw WireError() }
        return library
    }

    package mutating func readLoadError() throws(WireError) -> LoadError {
        guard let code = LoadError.Code(rawValue: try readString()) else { throw WireError() }
        let (place, explanation) = (try readString(), try readString())
        return LoadError(
            code: code, place: String(place.printable.prefix(4096)),
            explanation: String(explanation.printable.prefix(4096)))
    }
}

// MARK: Calls of the plugin

extension WireWriter {
    package mutating func write(_ call: PluginCall) {
        switch call {
        case .initialize(let sender, let offer):
            write(UInt8(1))
            write(sender)
            write(offer) { $0.write($1) }
        case .propertyChange(let offer):
            write(UInt8(2))
            write(offer)
        case .setParameter(let setting):
            write(UInt8(3))
            write(setting)
        case .startSend: write(UInt8(4))
        case .stopSend: write(UInt8(5))
        case .uninitialize: write(UInt8(6))
        case .destroy: write(UInt8(7))
        case .getExtension(let id):
            write(UInt8(8))
            write(id)
        case .track(let track, let want):
            write(UInt8(9))
            write(track)
            write(numbers: want)
        case .trackEnded(let track):
            write(UInt8(10))
            write(track)
        case .demand(let demand):
            write(UInt8(11))
            write(demand)
        case .event(let json):
            write(UInt8(12))
            write(json)
        }
    }
}

extension WireReader {
    package mutating func readPluginCall() throws(WireError) -> PluginCall {
        switch try read(UInt8.self) {
        case 1:
            .initialize(
                sender: try read(),
                offer: try readOptional { reader throws(WireError) in try reader.readOffer() })
        case 2: .propertyChange(try readOffer())
        case 3: .setParameter(try readSetting())
        case 4: .startSend
        case 5: .stopSend
        case 6: .uninitialize
        case 7: .destroy
        case 8: .getExtension(try readString())
        case 9: .track(try readTrack(), want: try readNumbers())
        case 10: .trackEnded(try read())
        case 11: .demand(try readDemand())
        case 12: .event(try readString())
        default: throw WireError()
        }
    }
}
