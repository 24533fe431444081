// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Where the configuration comes from.
package nonisolated enum ConfigurationSources: Sendable, Equatable {
    /// Exactly these files, later ones over earlier ones; one that is missing is an error.
    case files([String])
    /// The places of UAPI.6: `NAME` in `/etc/belfry`, else in `/run/belfry`, else in `/usr/local/lib/belfry`, else in
    /// `/usr/lib/belfry`, and over it the files of `NAME.d` in all four by their names. `root` stands before all of these
    /// paths.
    case search(root: String, name: String)

    /// `belfry.conf` and `belfry.conf.d` in the places of UAPI.6.
    package static let standard = ConfigurationSources.search(root: "", name: "belfry.conf")

    /// The directories that are searched, the most important first.
    static let directories = ["/etc/belfry", "/run/belfry", "/usr/local/lib/belfry", "/usr/lib/belfry"]
}
