import ArgumentParser
import GreenroomALSA
import GreenroomConfig
import GreenroomHost
import GreenroomSchema

/// `greenroom devices`.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the cameras, microphones, screens and more that a session can use.",
        discussion: """
            Prints each camera, monitor, window, ALSA PCM, effect and voice of this machine with its line for a \
            session file, and what is missing to use it. ALSA lists a PCM of your own \
            only if its definition has `hint { show on }`, but a session file can name it anyway.
            """)

    @Flag(help: "Print the list as one JSON object.")
    var json = false

    func run() throws {
        let devices: [ALSADevice]
        do throws(ALSAError) {
            devices = try ALSADevice.all()
        } catch {
            throw ExitError(.outputFailed, "ALSA can't list its devices: \(error)")
        }
        let others: [any DeviceList] = [
            ScreenDevices(), EffectDevices(Installation.ofThisProgram.locatorOfAll()),
            VoiceDevices(),
        ]
        let cameras: [any DeviceList] = [CameraDevices(), PipeWireDevices()]
        if json {
            let list = devices.map { device -> JSON in
                [
                    "name": .string(device.name), "description": .string(device.description),
                    "playback": .boolean(device.canPlay), "capture": .boolean(device.canCapture),
                ]
            }
            let members =
                cameras.flatMap(\.members)
                + [("devices", .array(list)), ("card", .boolean(ALSADevice.hasCard))]
                + others.flatMap(\.members)
            Console.write(json: JSON.members(members).text)
            return
        }
        for line in cameras.flatMap(\.lines) { Console.write(line) }
        for device in devices {
            Console.write(
                device.description.isEmpty ? device.name : "\(device.name): \(device.description)")
            // Quote the name: names contain commas and colons, and an unquoted null is not a name.
            let name = JSON.string(device.name).text
            if device.canPlay { Console.write("  - loudspeaker: \(name)") }
            if device.canCapture {
                Console.write(
                    "  microphone: { plugin: AlsaMicrophone, settings: { device: \(name) } }")
            }
        }
        if !ALSADevice.hasCard { Console.write(ALSAError.noCard) }
        for line in others.flatMap(\.lines) { Console.write(line) }
    }
}

/// Devices of one kind.
protocol DeviceList {
    /// The text: each device with its line for a session file, or the missing part.
    var lines: [String] { get }

    /// The devices as members of a JSON object.
    var members: [(String, JSON)] { get }
}
