import GreenroomPlugin
import RoomAccess
import RoomDecisions
import Synchronization

extension Room {
    /// Lets a new guest join, or a guest share.
    ///
    /// - Parameters:
    ///   - name: For people.
    ///   - sharer: The id of the guest who shares; nil for a new guest.
    ///   - isRecorded: Whether recordings may have the guest.
    ///   - listener: The viewer through whom they hear the room.
    /// - Returns: The answer, and the guest's id.
    /// - Throws: ``RequestError`` or `PluginError`.
    func join(
        _ name: String, isRecorded: Bool, offer text: String, sharer sharerID: String?,
        listener: String?
    ) async throws -> (id: String, answer: String) {
        let offer = try SDPDescription(text)
        let videos = offer.media.count { $0.kind == "video" && !$0.isDisabled && $0.name != nil }
        guard videos <= 1 else {
            throw RequestError.unacceptable("a guest sends one video, and shares another one")
        }
        guard offer.rooms.first != id else {
            throw RequestError.unacceptable(
                "the room would hear itself: it publishes to its own address")
        }
        var terms = MediaTerms.guest
        terms.takesLayers = takesLayers
        let answer = try SDPAnswer(to: offer, on: terms)
        let name = try sharerID == nil ? RoomLimits.name(name) : ""
        let sharer = state.withLock { state in sharerID.flatMap { state.guests[$0] } }
        guard sharerID == nil || sharer.map({ $0.sharer == nil }) ?? false else {
            throw RequestError(.notFound, "No such guest: join first.")
        }
        if sharer == nil { try expectWelcome(name) }
        let guest = try await admitting(sharer == nil ? .guest : .share) {
            try admit(
                sharer?.name ?? name, answer.streams, isRecorded: isRecorded, sharer: sharer,
                listener: listener)
        }
        guest.setFar(RoomMarks.Far(offer.rooms))
        do {
            guard let peer = guest.peer else { throw RequestError.hasClosed }
            return (
                guest.id,
                try await peer.answer(
                    answer, receiving: guest.receiving, address: address, rooms: [id])
            )
        } catch {
            remove(guest: guest.id, because: nil)
            throw error
        }
    }

    /// Lets a new guest join without camera and microphone.
    ///
    /// - Parameters:
    ///   - isRecorded: Whether recordings may have the guest.
    ///   - listener: The viewer through whom they hear the room.
    /// - Returns: The guest's id.
    /// - Throws: ``RequestError``.
    func join(
        listening name: String, isRecorded: Bool, through listener: String?
    ) throws(RequestError) -> String {
        let name = try RoomLimits.name(name)
        try expectWelcome(name)
        try reserve(.guest)
        let id = Secret.random()
        let guest: Guest
        do throws(SendRefusal) {
            guest = try Guest(
                listener: id, name: name, isRecorded: isRecorded, services: services)
        } catch {
            release(.guest)
            throw RequestError(.failed, error.text)
        }
        let isClosed = state.withLock { state in
            if !state.isClosed { state.guests[id] = guest }
            return state.isClosed
        }
        guard !isClosed else {
            release(.guest) { guest.leave() }
            throw Self.full
        }
        joined(id, listener)
        return id
    }

    /// Makes a guest, who joins as soon as they are connected.
    ///
    /// - Parameter isOffered: Whether the room makes the offer.
    func admit(
        _ name: String, _ streams: [MediaStream], isRecorded: Bool = true,
        isOffered: Bool = false, sharer: Guest? = nil, listener: String? = nil
    ) throws -> Guest {
        let id = Secret.random()
        let place: Place = sharer == nil ? .guest : .share
        try reserve(place)
        let guest: Guest
        do {
            guest = try Guest(
                id, name: name, isRecorded: isRecorded, streams: streams, isOffered: isOffered,
                sharer: sharer, services: services,
                onGone: { [weak self] reason in
                    self?.services.later { [weak self] in self?.remove(guest: id, because: reason) }
                },
                onJoined: { [weak self] in self?.joined(id, listener) },
                onLevel: { [weak self] in self?.hear($0, from: id) })
        } catch {
            release(place)
            throw error
        }
        let refusal = state.withLock { state -> RequestError? in
            guard !state.isClosed else { return Self.full }
            if let sharer, state.guests.values.contains(where: { $0.sharer === sharer }) {
                return .bad("the guest already shares")
            }
            state.guests[id] = guest
            return nil
        }
        if let refusal {
            release(place) { guest.leave() }
            throw refusal
        }
        return guest
    }

    private func joined(_ id: String, _ listener: String?) {
        let number = state.withLock { state -> UInt32? in
            state.revision += 1
            guard let guest = state.guests[id], guest.sharer == nil,
                let number = guest.participant?.number
            else { return nil }
            if let listener, state.viewers[listener] != nil { state.hearing[listener] = number }
            return number
        }
        leaveOutFetched()
        leaveOutEchoes()
        if let number {
            moveListeners(of: number)
            openShares(of: id)
        }
        report()
    }

    /// Opens the shares that were connected before their guest.
    private func openShares(of guest: String) {
        let shares = state.withLock { state in
            state.guests.values.filter { $0.sharer?.id == guest }
        }
        for share in shares {
            do throws(SendRefusal) {
                try share.openTracks()
            } catch {
                let text = error.text
                services.later { [weak self] in self?.remove(guest: share.id, because: text) }
            }
        }
    }

    /// Leaves a guest out of what a viewer hears, who is the same person.
    func listen(_ id: String, through viewer: String) throws(RequestError) {
        let number = state.withLock { state -> UInt32? in
            guard state.viewers[viewer] != nil, let number = state.guests[id]?.participant?.number
            else { return nil }
            state.hearing[viewer] = number
            return number
        }
        guard let number else { throw RequestError(.notFound, "No such guest or viewer.") }
        moveListeners(of: number)
    }

    /// Mutes what a guest sends, or takes that back.
    func mute(_ id: String, camera: Bool?, microphone: Bool?) throws(RequestError) {
        guard let guest = state.withLock({ $0.guests[id] }) else {
            throw RequestError(.notFound, "No such guest.")
        }
        if let camera { guest.video?.setMuted(camera) }
        if let microphone { guest.audio?.setMuted(microphone) }
        changed()
    }

    /// Removes a guest, with what they share.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    func remove(guest id: String, because reason: String?) -> Bool {
        let leaving = state.withLock { state -> [Guest] in
            guard let guest = state.guests.removeValue(forKey: id) else { return [] }
            state.revision += 1
            let shares = state.guests.filter { $0.value.sharer === guest }
            for share in shares.keys { state.guests[share] = nil }
            if let number = guest.participant?.number { state.speakers.remove(number) }
            let listeners = state.hearing.filter { $0.value == guest.participant?.number }
            for listener in listeners.keys { state.hearing[listener] = nil }
            route(Array(listeners.keys), in: state)
            return shares.values + [guest]
        }
        guard let guest = leaving.last else { return false }
        if let reason { services.host.log(.info, "\(guest.name): \(reason)") }
        for guest in leaving {
            release(guest.sharer == nil ? .guest : .share) { guest.leave() }
        }
        leaveOutEchoes()
        services.host.wantsChanged()
        report()
        return true
    }

    /// Removes a participant, by their number.
    ///
    /// - Parameter isBarred: Whether nobody of that name may join again.
    func remove(participant number: UInt32, isBarred: Bool) -> Bool {
        let id = state.withLock { state -> String? in
            guard let guest = Self.guest(number, in: state) else { return nil }
            state.dismissed.insert(guest.id)
            if isBarred { Self.bar(guest.name, in: &state) }
            return guest.id
        }
        return id.map { remove(guest: $0, because: "removed by the operator") } ?? false
    }
}
