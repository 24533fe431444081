// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
internal import Glibc
package import Lifecycle
package import BelfryLinux

/// Posts `protectedDataDidBecomeAvailable` and `protectedDataWillBecomeUnavailable` when something is mounted on a path
/// and when nothing is any more. Nothing is watched while there is no path to watch for.
package final class ProtectedDataSource {
    private static let table = "/proc/self/mountinfo"
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private var descriptor: Int32 = -1
    private var source: DescriptorEventSource?
    private var paths: [String] = []
    private var mounted: Set<String> = []

    /// Makes a source that watches nothing yet.
    package init(loop: MainEventLoop, mediator: LifecycleMediator) {
        self.loop = loop
        self.mediator = mediator
    }

    /// Watches these paths, in place of those before. What is mounted on a path that is new here is no news.
    package func apply(_ paths: [String]) throws(SystemError) {
        if source != nil { check() }
        self.paths = paths
        guard !paths.isEmpty else { return end() }
        if source == nil { try begin() }
        mounted = try points()
    }

    private func begin() throws(SystemError) {
        descriptor = open(Self.table, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last(verb: "open", object: Self.table) }
        do throws(SystemError) {
            source = try loop.source(descriptor: descriptor, .priority) { [unowned self] _ in check() }
        } catch {
            end()
            throw error
        }
    }

    private func end() {
        source = nil
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        mounted = []
    }

    private func check() {
        guard let now = try? points() else { return }
        let before = mounted
        mounted = now
        for path in paths where before.contains(path) && !now.contains(path) {
            mediator.post(ProtectedDataLoss(path: path))
        }
        for path in paths where now.contains(path) && !before.contains(path) {
            mediator.post(ProtectedDataArrival(path: path))
        }
    }

    /// Those of the paths that something is mounted on.
    private func points() throws(SystemError) -> Set<String> {
        MountTable(try KernelFile.text(Self.table)).points(among: paths)
    }

    isolated deinit { end() }
}
