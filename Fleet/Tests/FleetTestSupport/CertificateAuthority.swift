// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Foundation
internal import TestSupport

/// Makes certificates with openssl(1), in a private directory.
public final class CertificateAuthority {
    private let directory: TemporaryDirectory

    /// Makes the certificate of the authority itself.
    public init() throws {
        directory = try TemporaryDirectory()
        try openssl("ca", ["-subj", "/CN=Test authority"])
    }

    /// The certificate of the authority.
    public var file: String { directory.path("ca.pem") }

    /// A certificate with this common name, signed by the authority, and its key.
    ///
    /// - Parameter names: the alternative names, such as `DNS:localhost`.
    public func issue(_ commonName: String, names: String? = nil) throws -> (certificate: String, key: String) {
        let extensions = names.map { ["-addext", "subjectAltName=\($0)"] } ?? []
        try openssl(
            commonName, ["-subj", "/CN=\(commonName)", "-CA", file, "-CAkey", directory.path("ca.key")] + extensions)
        return (directory.path("\(commonName).pem"), directory.path("\(commonName).key"))
    }

    private func openssl(_ name: String, _ options: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments =
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
            + ["-keyout", directory.path("\(name).key"), "-out", directory.path("\(name).pem")] + options
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
    }
}
