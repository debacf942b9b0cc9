import CGStreamer
import GreenroomPlugin
import RoomDecisions
import Synchronization

/// Speech, messages, and the operator's pins, mutes and bars.
extension Room {
    private static let mostBarred = 100
    private static var seconds: Double { Double(greenroom_gst_now()) / 1e9 }

    /// The guest who is a participant.
    static func guest(_ number: UInt32, in state: State) -> Guest? {
        state.guests.values.first { $0.sharer == nil && $0.participant?.number == number }
    }

    // MARK: Speech

    /// Takes the level of a block of a guest's audio, in dBFS. [the guest's pipeline]
    func hear(_ level: Double, from id: String) {
        let now = Self.seconds
        state.withLock { state in
            guard let number = state.guests[id]?.participant?.number else { return }
            if state.speakers.add(level, of: number, at: now) { state.revision += 1 }
        }
    }

    /// Ends the speech of people whose audio has stopped, and forgets old messages. Called every second.
    func followSpeech() {
        let now = Self.seconds
        state.withLock { state in
            state.messages.expire(at: now)
            if state.speakers.expire(at: now) { state.revision += 1 }
        }
    }

    /// The page of a guest asks for the room.
    func ask(as guest: String) { state.withLock { $0.guests[guest] }?.ask() }

    // MARK: Messages

    private static let operatorName = "Operator"

    /// Passes a message on to all pages.
    ///
    /// - Parameter guest: The id of the guest who writes; nil for an operator.
    /// - Returns: The writer's name; nil for an operator.
    @discardableResult
    func say(_ text: String, from guest: String?) throws(RequestError) -> String? {
        let now = Self.seconds
        return try state.withLock { state throws(RequestError) in
            var name = Self.operatorName
            var number: UInt32?
            if let guest {
                guard let writer = state.guests[guest], let participant = writer.participant else {
                    throw RequestError(.forbidden, "Join the room to write.")
                }
                (name, number) = (writer.name, participant.number)
            }
            try state.messages.add(text, from: name, number, at: now)
            state.revision += 1
            return guest == nil ? nil : name
        }
    }

    /// Shows a message of the session, such as a bot's, on all pages.
    func show(_ text: String, from author: String?) throws(RequestError) {
        let now = Self.seconds
        try state.withLock { state throws(RequestError) in
            try state.messages.add(text, from: author ?? Self.operatorName, nil, at: now)
            state.revision += 1
        }
    }

    // MARK: The operator

    /// Makes a stream large for everybody; nil: none.
    func pin(_ stream: UInt32?) throws(RequestError) {
        try state.withLock { state throws(RequestError) in
            guard stream.map({ state.streams[$0] != nil }) ?? true else {
                throw RequestError(.notFound, "The stream is unknown: it may have ended.")
            }
            state.pinned = stream
            state.revision += 1
        }
    }

    /// Mutes a guest, who may unmute.
    func mute(participant number: UInt32) throws(RequestError) {
        guard let guest = state.withLock({ Self.guest(number, in: $0) }) else {
            throw RequestError(.notFound, "The participant is unknown: the guest may have left.")
        }
        guest.muteByOperator()
        changed()
    }

    /// Bars a name, and frees the oldest name above the limit.
    static func bar(_ name: String, in state: inout State) {
        state.barred.append(name.lowercased())
        if state.barred.count > mostBarred { state.barred.removeFirst() }
    }

    /// Refuses a name that is barred.
    func expectWelcome(_ name: String) throws(RequestError) {
        try expectOpen(for: name)
        guard !state.withLock({ $0.barred.contains(name.lowercased()) }) else {
            throw RequestError(
                .forbidden, "The operator has barred the name \(name) from this room.")
        }
    }

    /// Takes an event of the session, which may be a caption.
    func takeCaption(_ json: String) {
        state.withLock { state in
            if state.captions.take(json) { state.revision += 1 }
        }
    }

    /// Tells the pages whether the session records.
    func setRecording(_ recording: EventLog.Recording) {
        state.withLock { state in
            guard state.recording != recording else { return }
            state.recording = recording
            state.revision += 1
        }
    }

    /// Tells the pages that the session has ended.
    ///
    /// - Returns: Whether any of them waits for a change.
    func end() -> Bool {
        state.withLock { state in
            state.hasEnded = true
            state.revision += 1
        }
        return polls.load(ordering: .relaxed) > 0
    }
}
