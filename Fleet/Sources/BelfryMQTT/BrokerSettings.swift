// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Where a broker is, and who we are there.
///
/// The files are read again for each attempt to connect, so that renewed certificates are used.
package nonisolated struct BrokerSettings: Sendable, Equatable {
    /// A host name or an address. With TLS the broker's certificate must be for this name.
    package var host: String
    /// The TCP port.
    package var port: UInt16
    /// Whether the connection is TLS 1.2 or later. Then the broker's certificate is verified, always.
    package var isTLS: Bool
    /// The certificates of the authorities that are trusted (PEM); nil for those in `/etc/ssl/certs`.
    package var caFile: String?
    /// Our certificate and its private key (PEM); nil for none.
    package var certificateFile: String?
    package var keyFile: String?
    /// The user name, if the broker wants one.
    package var user: String?
    /// A file with the password. A newline at its end does not belong to the password.
    package var passwordFile: String?
    /// The name of this client at the broker, which closes an older connection of the same name.
    package var clientID: String
    /// The longest time without a message to the broker. A broker that sends nothing for twice this time is taken for lost.
    /// Between 5 s and 18 hours.
    package var keepalive: Duration

    package init(
        host: String, port: UInt16, isTLS: Bool = true, caFile: String? = nil, certificateFile: String? = nil,
        keyFile: String? = nil, user: String? = nil, passwordFile: String? = nil, clientID: String,
        keepalive: Duration = .seconds(20)
    ) {
        self.host = host
        self.port = port
        self.isTLS = isTLS
        self.caFile = caFile
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.user = user
        self.passwordFile = passwordFile
        self.clientID = clientID
        self.keepalive = keepalive
    }

    /// Host and port, for messages.
    package var address: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// `keepalive` in the whole seconds of the protocol, within what libmosquitto takes.
    var keepaliveSeconds: UInt16 { UInt16(min(max(keepalive.components.seconds, 5), 64_800)) }
}
