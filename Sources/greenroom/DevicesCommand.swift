import ArgumentParser
import GreenroomALSA
import GreenroomConfig
import GreenroomSchema

/// `greenroom devices`.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the loudspeakers, microphones, monitors and windows of this machine.",
        discussion: """
            Prints each ALSA PCM, and each monitor and window of the X server, with its line for a session file. ALSA lists a PCM of your own \
            only if its definition has `hint { show on }`, but a session file can name it anyway.
            """)

    @Flag(help: "Print the list as one JSON object.")
    var json = false

    func run() throws {
        let devices: [ALSADevice]
        do throws(ALSAError) {
            devices = try ALSADevice.all()
        } catch {
            throw Failure(.outputFailed, "ALSA can't list its devices: \(error)")
        }
        if json {
            let list = devices.map { device -> JSON in
                [
                    "name": .string(device.name), "description": .string(device.description),
                    "playback": .boolean(device.canPlay), "capture": .boolean(device.canCapture),
                ]
            }
            let object = JSON.members(
                [("devices", .array(list)), ("card", .boolean(ALSADevice.hasCard))]
                    + ScreenDevices().members)
            Console.write(json: object.text)
            return
        }
        for device in devices {
            Console.write(
                device.description.isEmpty ? device.name : "\(device.name): \(device.description)")
            // Quoted: names contain commas and colons, and an unquoted null is no name.
            let name = JSON.string(device.name).text
            if device.canPlay { Console.write("  - loudspeaker: \(name)") }
            if device.canCapture {
                Console.write(
                    "  microphone: { plugin: AlsaMicrophone, settings: { device: \(name) } }")
            }
        }
        if !ALSADevice.hasCard { Console.write(ALSAError.noCard) }
        for line in ScreenDevices().lines { Console.write(line) }
    }
}
