// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry

/// The identities that systemd gives to a boot and to one run of a unit (sd-id128(3)).
public nonisolated enum SystemIdentity {
    /// The kernel's id of this boot, 32 hexadecimal digits.
    public static var boot: String? { text(sd_id128_get_boot) }

    /// The id of this run of the unit, `$INVOCATION_ID`; nil outside of systemd.
    public static var invocation: String? { text(sd_id128_get_invocation) }

    private static func text(_ get: (UnsafeMutablePointer<sd_id128_t>?) -> Int32) -> String? {
        var id = sd_id128_t()
        guard get(&id) >= 0 else { return nil }
        return withUnsafeBytes(of: id.bytes) { bytes in
            bytes.map { byte in
                let digits = String(byte, radix: 16)
                return digits.count == 1 ? "0" + digits : digits
            }.joined()
        }
    }
}
