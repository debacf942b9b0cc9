import GreenroomMedia

struct SoundConverter: ~Copyable {
    let format: AudioFormat
    init?(from format: AudioFormat) { self.format = format }
    mutating func convert(_ samples: Span<Int16>, into queue: inout SoundQueue) {}
}
