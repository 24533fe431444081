// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// The concern of the copy elsewhere: a stop waits for the upload that is under way.
final class UploadListener: LifecycleListener {
    private let store: StoreListener
    private let mediator: LifecycleMediator
    private var upload: BackgroundTask?

    init(store: StoreListener, mediator: LifecycleMediator) {
        self.store = store
        self.mediator = mediator
    }

    /// The other side has everything.
    func finish() {
        print("upload: done")
        upload?.end()
    }

    var answers: [LifecycleAnswer] {
        onFetch(.didReceiveNotification) { [store] notification in
            guard let message = ReceivedNotification(userInfo: notification.userInfo) else { return .failed }
            print("upload: \(message.message) \(message.isInForeground ? "in the foreground" : "in the background")")
            return store.recordings.isEmpty ? .noData : .newData
        }
        onFetch { [self] _ in
            guard !store.recordings.isEmpty else { return .noData }
            upload = mediator.beginBackgroundTask(named: "upload", deadline: .seconds(30))
            print("upload: sends \(store.recordings.joined(separator: ", "))")
            return .newData
        }
    }
}
