// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import NIOSSL

/// A certificate of localhost for tests, signed by itself, and its key. It protects nothing.
enum TestCertificate {
    static func serverConfiguration() throws -> TLSConfiguration {
        let certificates = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
        return try .makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) },
            privateKey: .privateKey(NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
    }

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPN6Jih24UPJ+A0Kh
        MBgBQxTDy0HvXGhgIkMqwyFU25ChRANCAAQJSCA85r4nIEC3byvi0WLCDVbbo7tb
        ERB0gcjRBMOj88eYtGjtnCYz/FAIdPca2UAJe8rXq91TB3poeL2u9weK
        -----END PRIVATE KEY-----
        """

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBfjCCASWgAwIBAgIUa/Xu3NXdLXbDTNDYzgEoHK5d0LswCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODA1MzAyMVoYDzIxMjYxMTA0
        MDUzMDIxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAQJSCA85r4nIEC3byvi0WLCDVbbo7tbERB0gcjRBMOj88eYtGjtnCYz
        /FAIdPca2UAJe8rXq91TB3poeL2u9weKo1MwUTAdBgNVHQ4EFgQUF1HOkeav8XHU
        feTs1pLVwP32cQMwHwYDVR0jBBgwFoAUF1HOkeav8XHUfeTs1pLVwP32cQMwDwYD
        VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiAVsLhdLKMvCFOIyQ6huYeb
        GKVl/b+g95D+PhfyYH9hUgIgcHJyMCJknqd8W9mg42nEMs3Y0E1Zjm+varMHvGpB
        6OM=
        -----END CERTIFICATE-----
        """
}
