// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc
import BelfryLinux

/// Lets the service fail with a flush.
final class FailingListener: LifecycleListener {
    let name = "probe"
    private let service: ServiceContext

    init(_ service: ServiceContext) { self.service = service }

    var answers: [LifecycleAnswer] {
        on(.flushRequested) { [self] _ in service.fail(SystemError(EIO, verb: "read", object: "disk")) }
    }
}
