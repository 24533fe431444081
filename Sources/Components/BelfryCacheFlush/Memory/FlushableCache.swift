// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Belfry
public import Lifecycle

/// A cache in memory that can give memory back.
@MainActor public protocol FlushableCache: AnyObject {
    /// Gives memory back, and returns when that is done: with `some` the part that is worth least, with `full` everything.
    func flush(_ level: MemoryWarning.Level)
}

extension LifecycleMediator {
    /// Flushes a cache at each memory warning with its level, and as with `full` at `flushRequested` and when a pause begins.
    ///
    /// The service returns the memory to the system when all listeners have answered the warning (malloc_trim(3)).
    ///
    /// - Returns: the observation, which ends when it is cancelled or released. It does not keep the cache alive.
    public func addCache(_ cache: some FlushableCache) -> LifecycleObservation {
        addObserver { [weak cache] notification in
            switch notification.name {
            case .didReceiveMemoryWarning:
                cache?.flush(MemoryWarning(userInfo: notification.userInfo)?.level ?? .some)
            case .flushRequested, .didEnterBackground: cache?.flush(.full)
            default: break
            }
        }
    }
}

extension BelfryService {
    /// Flushes a cache at each memory warning with its level, and as with `full` at `flushRequested` and when a pause begins, for as
    /// long as the service runs.
    ///
    /// The service returns the memory to the system when all listeners have answered the warning (malloc_trim(3)).
    ///
    /// - Returns: the observation, to end it early with `cancel()`. To release it has no effect. It does not keep the cache
    ///   alive.
    @discardableResult
    public func addCache(_ cache: some FlushableCache) -> LifecycleObservation {
        mediator.addCache(cache).lasting()
    }
}
