// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Where a server listens.
///
/// As a property of settings it is written as text, which is checked with the configuration:
///
/// | Text | Address |
/// |---|---|
/// | `systemd:echo` | the sockets that systemd passes as `echo` |
/// | `/run/echo/socket` | a Unix socket |
/// | `@echo` | a Unix socket without a file |
/// | `127.0.0.1:7007`, `[::1]:7007` | a TCP port |
public nonisolated enum ServerAddress: Sendable, Hashable {
    /// The stream sockets that systemd passes under this name (`FileDescriptorName=` in systemd.socket(5)).
    case systemd(String)
    /// A Unix stream socket at this absolute path; or `@` and the name of one in the abstract namespace (unix(7)). The
    /// umask of the service says who may connect to a path (`UMask=` of the unit).
    case path(String)
    /// A TCP port of a numeric IPv4 or IPv6 address of this machine.
    case port(UInt16, of: String = "127.0.0.1")

    /// Reads an address. Nil for any other text, such as a port of a name instead of a numeric address.
    public init?(_ text: String) {
        let scheme = "systemd:"
        if text.hasPrefix("/") || text.hasPrefix("@") {
            guard (2...107).contains(text.utf8.count) else { return nil }  // unix(7)
            self = .path(text)
        } else if text.hasPrefix(scheme), text != scheme {
            self = .systemd(String(text.dropFirst(scheme.count)))
        } else {
            guard let colon = text.lastIndex(of: ":") else { return nil }
            let digits = text[text.index(after: colon)...]
            guard !digits.hasPrefix("+"), let port = UInt16(digits), port > 0 else { return nil }
            let host = text[..<colon]
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            guard !host.isEmpty, isBracketed || !host.contains(":") else { return nil }
            let numeric = String(isBracketed ? host.dropFirst().dropLast() : host)
            // As when it is bound. The greater of the two addresses has room for both.
            var address = in6_addr()
            guard inet_pton(AF_INET, numeric, &address) == 1 || inet_pton(AF_INET6, numeric, &address) == 1 else {
                return nil
            }
            self = .port(port, of: numeric)
        }
    }
}

nonisolated extension ServerAddress: CustomStringConvertible, Codable {
    /// The address as it is written in settings.
    public var description: String {
        switch self {
        case .systemd(let name): "systemd:\(name)"
        case .path(let path): path
        case .port(let port, let host): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }

    /// Decodes an address that is written as text.
    ///
    /// - Throws: `DecodingError` for any other text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let address = ServerAddress(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "expected 'ADDRESS:PORT' (a numeric address), an absolute path, '@NAME' or 'systemd:NAME'")
        }
        self = address
    }

    /// Encodes the address as text.
    ///
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
