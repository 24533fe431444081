// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import BelfryMQTT
import Glibc

/// The section `[Broker]` of fleet.conf: where the broker is, and how this host identifies itself.
nonisolated struct BrokerSection: Sendable, Equatable {
    /// The address of the broker.
    let url: BrokerURL
    /// The name for a broker that asks for a password; with TLS the certificate has the name.
    let user: String?
    // Files. By default the credentials belfry.ca, belfry.certificate, belfry.key and belfry.password, if the unit has them
    // (systemd.exec(5), `LoadCredential=`).
    let caFile: String?
    let certificateFile: String?
    let keyFile: String?
    let passwordFile: String?

    /// The same for a connection.
    func settings(clientID: String) -> BrokerSettings {
        BrokerSettings(
            host: url.host, port: url.port, isTLS: url.isTLS, caFile: caFile, certificateFile: certificateFile,
            keyFile: keyFile, user: user, passwordFile: passwordFile, clientID: clientID)
    }
}

nonisolated extension BrokerSection: Decodable {
    private enum CodingKeys: String, CodingKey {
        case url, user, certificateFile, keyFile, passwordFile
        case caFile = "CAFile"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        url = try values.decode(BrokerURL.self, forKey: .url)
        user = try values.decodeIfPresent(String.self, forKey: .user)
        func file(_ key: CodingKeys, _ credential: String) throws -> String? {
            if let path = try values.decodeIfPresent(String.self, forKey: key) { return path }
            guard let directory = Environment.variables["CREDENTIALS_DIRECTORY"] else { return nil }
            let path = "\(directory)/\(credential)"
            return access(path, R_OK) == 0 ? path : nil
        }
        caFile = try file(.caFile, "belfry.ca")
        certificateFile = try file(.certificateFile, "belfry.certificate")
        keyFile = try file(.keyFile, "belfry.key")
        passwordFile = try file(.passwordFile, "belfry.password")
        try values.check(
            (certificateFile == nil) == (keyFile == nil), certificateFile == nil ? .certificateFile : .keyFile,
            "a certificate needs its key, and a key its certificate")
        try values.check(
            (user == nil) == (passwordFile == nil), user == nil ? .user : .passwordFile,
            "a user needs a password, and a password its user")
        // Anybody on the way could read it.
        try values.check(passwordFile == nil || url.isTLS, .url, "a password needs TLS, write mqtts://")
    }
}

/// The address of a broker: `mqtts://HOST[:PORT]` with TLS, or `mqtt://HOST[:PORT]` without.
nonisolated struct BrokerURL: Sendable, Equatable {
    let host: String
    let port: UInt16
    let isTLS: Bool

    /// - Returns: nil for another form.
    init?(_ text: String) {
        let schemes: [(name: String, port: UInt16, isTLS: Bool)] = [("mqtts://", 8883, true), ("mqtt://", 1883, false)]
        guard let scheme = schemes.first(where: { text.utf8.starts(with: $0.name.utf8) }) else { return nil }
        var rest = Substring(text.utf8.dropFirst(scheme.name.utf8.count))
        var port: UInt16? = scheme.port
        // An IPv6 address is in brackets, because of its colons.
        let isBracketed = rest.utf8.first == UInt8(ascii: "[")
        let end =
            isBracketed ? rest.utf8.firstIndex(of: UInt8(ascii: "]")) : rest.utf8.firstIndex(of: UInt8(ascii: ":"))
        if let end {
            let after = Substring(isBracketed ? rest.utf8[rest.utf8.index(after: end)...] : rest.utf8[end...])
            rest = Substring(isBracketed ? rest.utf8[..<end].dropFirst() : rest.utf8[..<end])
            if !after.isEmpty {
                guard after.utf8.first == UInt8(ascii: ":") else { return nil }
                port = UInt16(after.dropFirst())
            }
        } else if isBracketed {
            return nil
        }
        let isValid = rest.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            case UInt8(ascii: ":"), UInt8(ascii: "%"): isBracketed
            default: false
            }
        }
        guard isValid, 1...253 ~= rest.utf8.count, let port, port > 0 else { return nil }
        (host, self.port, isTLS) = (String(rest), port, scheme.isTLS)
    }
}

nonisolated extension BrokerURL: CustomStringConvertible {
    var description: String {
        let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return "mqtt\(isTLS ? "s" : "")://\(host):\(port)"
    }
}

nonisolated extension BrokerURL: Decodable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        guard let url = BrokerURL(try value.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: value, debugDescription: "expected mqtts://HOST:PORT, or mqtt://HOST:PORT for a broker without TLS")
        }
        self = url
    }
}
