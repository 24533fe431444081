// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryJSON
import BelfryLinux
import Glibc

/// The section `[Fleet]` of fleet.conf: who this host is, and what it does for others.
nonisolated struct FleetSettings: Sendable, Equatable {
    /// The name of the fleet.
    var name = "default"
    /// The name of this host.
    var host = FleetSettings.hostName
    /// How often the host says that it is still there.
    var renewal = Duration.seconds(30)
    /// Whether to follow all hosts, for `belfry-fleet`.
    var view = false
    /// What others may have this host do.
    var accept: [AcceptRule] = []
    /// The socket of the service that the host reports about.
    var socket = "/run/belfry/io.belfry.Lifecycle"

    /// The host name of the system.
    private static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    var topics: FleetTopics { FleetTopics(fleet: name) }

    /// Whether both are the same but for what a reload can change.
    func hasSameIdentity(as other: FleetSettings) -> Bool {
        var other = other
        (other.accept, other.renewal) = (accept, renewal)
        return self == other
    }

    /// Whether this sender may have this done.
    func accepts(_ action: FleetCommand.Action, from sender: String) -> Bool {
        accept.contains { $0.allows(action, from: sender) }
    }
}

nonisolated extension FleetSettings: Decodable {
    private enum CodingKeys: CodingKey { case name, host, renewal, view, accept, socket }

    init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decodeIfPresent(String.self, forKey: .name) ?? name
        host = try values.decodeIfPresent(String.self, forKey: .host) ?? host
        renewal = try values.decodeIfPresent(Duration.self, forKey: .renewal) ?? renewal
        view = try values.decodeIfPresent(Bool.self, forKey: .view) ?? view
        accept = try values.decodeIfPresent([AcceptRule].self, forKey: .accept) ?? accept
        socket = try values.decodeIfPresent(String.self, forKey: .socket) ?? socket
        try values.check(FleetName.isValid(name), .name, FleetName.form)
        try values.check(
            FleetName.isValid(host), .host, "\(FleetName.form), not \(DisplayText.quoted(host))")
        try values.check(renewal >= .seconds(1) && renewal <= .seconds(86_400), .renewal, "expected 1s to 1d")
        try values.check(socket.utf8.first == UInt8(ascii: "/"), .socket, "expected an absolute path")
    }
}

nonisolated extension KeyedDecodingContainer {
    /// Refuses the value of a key, with the place of the key, unless it is valid.
    func check(_ isValid: Bool, _ key: Key, _ text: String) throws {
        guard isValid else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: text)
        }
    }
}

/// One word of `Accept=`: `COMMAND@SENDER`, where COMMAND is `pause`, `resume`, `reload` or `post:NAME`.
nonisolated struct AcceptRule: Sendable, Equatable {
    private enum Command: Sendable, Equatable {
        case pause, resume, reload
        case post(String)
    }

    private let command: Command
    private let sender: String

    /// - Throws: what is wrong with the text.
    init(_ text: String) throws(ValueProblem) {
        let form = "expected COMMAND@SENDER with the command pause, resume, reload or post:NAME"
        guard let sign = text.utf8.lastIndex(of: UInt8(ascii: "@")) else {
            throw ValueProblem("\(form), not \(DisplayText.quoted(text))")
        }
        let (word, sender) = (String(text[..<sign]), String(text[text.utf8.index(after: sign)...]))
        guard FleetName.isValid(sender) else { throw ValueProblem("invalid sender \(DisplayText.quoted(sender))") }
        let post = "post:"
        switch word {
        case _ where word.utf8.starts(with: post.utf8):
            command = .post(try NotificationName.parse(String(Substring(word.utf8.dropFirst(post.utf8.count)))))
        case _ where word.hasSameBytes(as: "pause"): command = .pause
        case _ where word.hasSameBytes(as: "resume"): command = .resume
        case _ where word.hasSameBytes(as: "reload"): command = .reload
        default: throw ValueProblem("\(form), not \(DisplayText.quoted(text))")
        }
        self.sender = sender
    }

    func allows(_ action: FleetCommand.Action, from sender: String) -> Bool {
        guard sender.hasSameBytes(as: self.sender) else { return false }
        switch (command, action) {
        case (.pause, .pause), (.resume, .resume), (.reload, .reload): return true
        // It changes nothing.
        case (_, .check): return true
        case (.post(let accepted), .post(let name, _)): return name.hasSameBytes(as: accepted)
        default: return false
        }
    }
}

nonisolated extension AcceptRule: Decodable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        do {
            try self.init(try value.decode(String.self))
        } catch let problem as ValueProblem {
            throw DecodingError.dataCorruptedError(in: value, debugDescription: problem.message)
        }
    }
}
