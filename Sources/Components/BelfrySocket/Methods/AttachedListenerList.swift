// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle
internal import Varlink

/// The attached programs, and the notifications that they have not answered.
///
/// A program gets a notification as a reply to `Attach`, and sends its outcome with `Answer` on a second connection,
/// since a connection handles one call at a time. The token that comes with the notification identifies it.
final class AttachedListenerList {
    private struct Question {
        let listener: AttachedListener
        let progress: ListenerProgress
        let completion: (AnswerEnd) -> Void
    }

    /// The longest part of a program's text that a status line shows, in Unicode scalars.
    private static let longestText = 200
    private static let unread = "its program does not read"
    /// How many notifications may wait for a program that does not read. Beyond it the program is detached.
    package static let queueLimit = 1024

    private let mediator: LifecycleMediator
    private let bootID: String
    private let log: ServiceLog
    private let application: ApplicationSettings?
    /// By their names, which are different.
    private var listeners: [UTF8Text: AttachedListener] = [:]
    private var questions: [UTF8Text: Question] = [:]
    /// The state that the last notification leads to.
    private var state: LifecycleState

    init(mediator: LifecycleMediator, bootID: String, log: ServiceLog, application: ApplicationSettings?) {
        self.application = application
        self.mediator = mediator
        self.bootID = bootID
        self.log = log
        state = mediator.state
    }

    /// How many there are.
    var count: Int { listeners.count }

    /// When the program of this name has last reported that it is healthy, by CLOCK_REALTIME; nil if it has not.
    func healthyUsec(of name: String) -> Int64? { listeners[UTF8Text(name)]?.healthyUsec }

    /// Tells those who asked for it that the state changes.
    ///
    /// - Parameter description: describes the service.
    func stateChanged(to new: LifecycleState, _ description: () -> JSONObject) {
        guard new != state else { return }
        state = new
        let interested = listeners.values.filter(\.parameters.wantsState)
        guard !interested.isEmpty else { return }
        let reply = VarlinkEncodedReply(VarlinkReply(stateReply(description()), continues: true))
        for listener in interested where hasRoom(listener) { listener.request.send(reply) }
    }

    private func stateReply(_ description: consuming JSONObject) -> JSONObject {
        description["state"] = .string(state.rawValue)
        return ["state": .object(description)]
    }

    /// Answers `Attach`.
    ///
    /// - Parameter description: describes the service.
    func attach(_ request: VarlinkRequest, origin: PeerOrigin, _ description: () -> JSONObject) {
        guard request.wantsMore else { return request.fail(.expectedMore) }
        let parameters: AttachParameters
        do throws(AttachParameters.Problem) {
            parameters = try AttachParameters(request.parameters)
        } catch {
            switch error {
            case .parameter(let name): return request.fail(.invalidParameter(name))
            case .name(let name): return request.fail("io.belfry.Lifecycle.InvalidName", ["name": .string(name)])
            }
        }
        let listener = AttachedListener(parameters, request, origin: origin, in: self)
        do throws(ListenerOrderError) {
            try mediator.addListener(listener)
        } catch .duplicate(let name) {
            return request.fail("io.belfry.Lifecycle.ListenerExists", ["listener": .string(name)])
        } catch {
            return request.fail("io.belfry.Lifecycle.InvalidOrder", ["reason": .string("\(error)")])
        }
        listeners[UTF8Text(listener.name)] = listener
        request.onCancel = { [weak self] in self?.detach(listener, because: "its program disconnected") }
        record(listener, "attached")
        if parameters.wantsState {
            request.reply(stateReply(description()), continues: true)
        } else if parameters.isConfirmed {
            request.reply([:], continues: true)
        }
        if listener.health != .healthy { mediator.checkHealth() }
    }

    /// Answers `ReportHealth`.
    func reportHealth(_ request: VarlinkRequest, origin: PeerOrigin) {
        let name = request.parameters["listener"]?.stringValue ?? ""
        guard let listener = listeners[UTF8Text(name)], listener.origin.pid == origin.pid,
            listener.origin.uid == origin.uid
        else {
            return request.fail("io.belfry.Lifecycle.NotAttached", ["listener": .string(name)])
        }
        guard let health = ListenerHealth(request.parameters) else { return request.fail(.invalidParameter("health")) }
        listener.health = health
        if health == .healthy { listener.healthyUsec = mediator.clock.now.realtime.signedMicroseconds }
        request.reply()
        mediator.checkHealth()
    }

    /// Answers `Progress`.
    func progress(_ request: VarlinkRequest) {
        let usec = request.parameters["nextWithinUsec"]?.intValue
        if let usec, usec <= 0 { return request.fail(.invalidParameter("nextWithinUsec")) }
        let token = request.parameters["token"]?.stringValue ?? ""
        guard let question = questions[UTF8Text(token)] else {
            return request.fail("io.belfry.Lifecycle.UnknownToken", ["token": .string(token)])
        }
        request.reply()
        let text = request.parameters["text"]?.stringValue.map { String($0.unicodeScalars.prefix(Self.longestText)) }
        question.progress.report(nextWithin: usec.map { .microseconds($0) } ?? .seconds(5), text)
    }

    /// Answers `Answer`.
    func answer(_ request: VarlinkRequest) {
        let text = request.parameters["outcome"]?.stringValue ?? ""
        guard let outcome = ListenerOutcome(text, reason: request.parameters["reason"]?.stringValue) else {
            return request.fail(.invalidParameter("outcome"))
        }
        let token = request.parameters["token"]?.stringValue ?? ""
        guard let question = close(UTF8Text(token)) else {
            return request.fail("io.belfry.Lifecycle.UnknownToken", ["token": .string(token)])
        }
        request.reply()
        let work = request.parameters["work"]?.stringValue.map {
            WorkSummary($0, details: request.parameters["details"]?.objectValue)
        }
        question.completion(AnswerEnd(outcome, work))
    }

    /// Sends a notification to a program. Its progress and its outcome go to the arguments. Returns what gives up
    /// waiting.
    func ask(
        _ listener: AttachedListener, _ notification: LifecycleNotification, _ progress: ListenerProgress,
        _ completion: @escaping (AnswerEnd) -> Void
    ) -> () -> Void {
        guard hasRoom(listener) else {
            completion(AnswerEnd(.failed(Self.unread)))
            return {}
        }
        // Only who has received the notification can answer it.
        let token = IdentifierWords.random.text
        var writer = JSONWriter()
        writer.beginContinuingReply()
        writer.write(raw: "\"token\":")
        writer.write(token)
        let command = listener.name == application?.name ? application?.key(for: notification) : nil
        if let command {
            writer.write(raw: ",\"key\":")
            writer.write(command)
        }
        writer.write(raw: ",\"notification\":")
        writer.write(notification, bootID: bootID)
        writer.endContinuingReply()
        let key = UTF8Text(token)
        questions[key] = Question(listener: listener, progress: progress, completion: completion)
        listener.tokens.insert(key)
        listener.request.send(VarlinkEncodedReply(writer))
        return { [weak self] in
            guard let question = self?.close(key), let command else { return }
            question.completion(AnswerEnd(.failed("\(command)= has not ended within its deadline")))
        }
    }

    /// Removes a notification that was answered, or whose deadline has passed.
    private func close(_ token: UTF8Text) -> Question? {
        guard let question = questions.removeValue(forKey: token) else { return nil }
        question.listener.tokens.remove(token)
        return question
    }

    /// Whether its program can get another reply. A program that does not read is detached.
    private func hasRoom(_ listener: AttachedListener) -> Bool {
        if listener.request.isActive, listener.request.queuedReplies < Self.queueLimit { return true }
        detach(listener, because: Self.unread)
        return false
    }

    private func detach(_ listener: AttachedListener, because reason: String) {
        guard listeners.removeValue(forKey: UTF8Text(listener.name)) != nil else { return }
        // Removed from the mediator first, so that a sequence that continues does not call it again.
        mediator.removeListener(listener)
        record(listener, "is detached: \(reason)")
        listener.request.onCancel = nil
        listener.request.fail("io.belfry.Lifecycle.Detached", ["reason": .string(reason)])
        for question in listener.tokens.compactMap({ close($0) }) { question.completion(AnswerEnd(.failed(reason))) }
    }

    private func record(_ listener: AttachedListener, _ what: String) {
        let origin = LifecycleOrigin.peer(listener.origin)
        log.write(
            .info, "'\(listener.name)' of \(origin) \(what)", .attachment, by: origin,
            fields: ["BELFRY_LISTENER": listener.name])
    }
}
