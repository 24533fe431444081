// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a service says of itself (`org.varlink.service.GetInfo`).
public nonisolated struct VarlinkServiceInfo: Sendable, Equatable {
    /// Who makes it.
    public var vendor: String
    /// What it is.
    public var product: String
    /// Which version of it.
    public var version: String
    /// Where to read about it.
    public var url: String

    /// A service with these properties.
    public init(vendor: String, product: String, version: String, url: String) {
        self.vendor = vendor
        self.product = product
        self.version = version
        self.url = url
    }
}
