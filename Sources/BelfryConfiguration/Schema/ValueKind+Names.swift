// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension ValueKind {
    /// An absolute path.
    package static let path = ValueKind("absolute path") { text, _ throws(ValueProblem) in
        .text(try AbsolutePath.parse(text))
    }

    /// The absolute path of a directory other than '/'.
    static let directory = ValueKind("absolute path") { text, _ throws(ValueProblem) in
        let path = try AbsolutePath.parse(text)
        guard path.utf8.count > 1 else {
            throw ValueProblem("expected a directory below '/', such as '/var/cache/NAME'")
        }
        return .text(path)
    }

    /// A list of absolute paths.
    package static let paths = ValueKind("list of absolute paths", isList: true) { text, _ throws(ValueProblem) in
        var paths: [String] = []
        for word in try IniWords.split(text) {
            do throws(ValueProblem) {
                paths.append(try AbsolutePath.parse(word.text))
            } catch {
                throw ValueProblem(error.message, offset: word.offset)
            }
        }
        return .texts(paths)
    }

    /// The path or the abstract name of a Unix socket.
    package static let socketPath = ValueKind("socket path") { text, _ throws(ValueProblem) in
        .text(try AbsolutePath.parseSocket(text))
    }

    /// The name or number of a user or a group; that it exists is not asked here.
    package static let account = ValueKind("name") { text, _ throws(ValueProblem) in
        let isBad = { (scalar: Unicode.Scalar) in
            IniText.isSpace(scalar) || DisplayText.isControl(scalar) || scalar == ":" || scalar == "/"
        }
        if let offset = Array(text.unicodeScalars).firstIndex(where: isBad) {
            throw ValueProblem("invalid user or group name \(DisplayText.quoted(text))", offset: offset)
        }
        return .text(text)
    }

    /// A level of syslog(3), by name or number.
    static let logPriority = ValueKind("log level") { text, _ throws(ValueProblem) in
        guard let priority = LogPriority(text) else {
            let question = NearestName.question(text, in: LogPriority.names)
            let expected = "expected a log level from 'emerg' to 'debug' or 0 to 7"
            throw ValueProblem("\(expected), not \(DisplayText.quoted(text))\(question)")
        }
        return .integer(priority.rawValue)
    }

    /// A list of notification names; one that almost spells a name of Belfry's is doubted.
    static let notificationNames = ValueKind("list of notification names", isList: true) {
        text, doubts throws(ValueProblem) in
        var names: [String] = []
        for word in try IniWords.split(text) {
            do throws(ValueProblem) {
                names.append(try NotificationName.parse(word.text))
            } catch {
                throw ValueProblem(error.message, offset: word.offset)
            }
            if let known = NotificationName.nearMiss(word.text, of: NotificationName.known) {
                let message = "no notification of Belfry's is named '\(word.text)', did you mean '\(known)'?"
                doubts.append(ValueProblem(message, offset: word.offset))
            }
        }
        return .texts(names)
    }

    /// A list of listener names; that they exist is not asked here.
    static let listenerNames = ValueKind("list of listener names", isList: true) {
        text, _ throws(ValueProblem) in
        .texts(try IniWords.split(text).map(\.text))
    }

    /// What a signal does: an action, or a notification to post; one that almost spells either is doubted.
    static let signalAction = ValueKind("action or notification name") { text, doubts throws(ValueProblem) in
        let action = try SignalAction(text)
        if case .post(let name) = action {
            if let near = NotificationName.nearMiss(name, of: SignalAction.names) {
                doubts.append(
                    ValueProblem("'\(name)' is taken as a notification name, did you mean the action '\(near)'?"))
            } else if let near = NotificationName.nearMiss(name, of: NotificationName.known) {
                doubts.append(ValueProblem("no notification of Belfry's is named '\(name)', did you mean '\(near)'?"))
            }
        }
        return .text(action.description)
    }
}
