// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The checksum of gzip and PNG (ISO 3309, polynomial 0xEDB88320 reflected): it sees every single flipped bit and every
/// damaged run of up to 32 bits.
nonisolated enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 0 ? rest >> 1 : rest >> 1 ^ 0xEDB8_8320 }
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { rest, byte in rest >> 8 ^ table[Int((rest ^ UInt32(byte)) & 0xFF)] }
    }
}
