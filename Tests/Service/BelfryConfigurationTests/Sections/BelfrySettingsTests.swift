// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfrySystemd
import Glibc
import Lifecycle
import Testing

struct SettingsTests {
    @Test func allKeysCanBeSet() throws {
        let settings = try #require(
            MemoryFiles.load(
                """
                [Service]
                ListenerTimeout=1min 30s
                StopTimeout=infinity
                LateStopExitStatus=75
                StopOnPause=yes
                DisabledListeners=video "two words"
                DisabledListeners=socket
                ProtectedData=/srv/vault "/mnt/two words/"
                ProtectedData=/home
                RuntimeDirectory=/run/mine/
                StateDirectory=/var/lib/mine
                [Signals]
                SIGUSR1=ignore
                RTMIN+5=my.own
                RTMAX-1=interrupt
                [Socket]
                Enabled=off
                Path=@mine
                Group=adm
                Look=privileged
                ConnectionsMax=10
                ConnectionsPerUserMax=5
                FrameMax=64K
                ReplayMax=0
                [Logger]
                Enabled=0
                Level=7
                Target=stderr
                [Cache images]
                Path=/var/cache/images
                SizeMax=1.5G
                AgeMax=2w
                FilesMax=100
                WriteBack=no
                On=didEnterBackground my.own
                On="another"
                [Cache other]
                Path=/var/cache/other
                SizeMax=infinity
                FilesMax=infinity
                On=
                """
            ).settings)

        #expect(settings.service.listenerTimeout == .seconds(90) && settings.service.stopTimeout == nil)
        #expect(settings.service.lateStopExitStatus == 75)
        #expect(settings.service.stopOnPause)
        #expect(settings.service.disabledListeners == ["video", "two words", "socket"])
        #expect(settings.service.protectedData == ["/srv/vault", "/mnt/two words", "/home"])
        #expect(settings.service.runtimeDirectory == "/run/mine" && settings.service.stateDirectory == "/var/lib/mine")
        #expect(settings.signals.actions[SIGUSR1] == .ignore)
        #expect(settings.signals.actions[SignalName.realTime.lowerBound + 5]?.description == "my.own")
        #expect(settings.signals.actions[SignalName.realTime.upperBound - 1] == .interrupt)
        #expect(settings.signals.actions[SIGTERM] == .stop)
        #expect(!settings.socket.isEnabled && settings.socket.path == "@mine" && settings.socket.group == "adm")
        #expect(settings.socket.look == .privileged)
        #expect(settings.socket.connectionsMax == 10 && settings.socket.connectionsPerUserMax == 5)
        #expect(settings.socket.frameMax == 65536)
        #expect(settings.socket.replayMax == 0)
        #expect(!settings.logger.isEnabled && settings.logger.level == .debug && settings.logger.target == .stderr)
        #expect(settings.caches.map(\.name) == ["images", "other"])
        let images = settings.caches[0]
        #expect(
            images.paths == ["/var/cache/images"] && images.limits.sizeMax == 3 << 29
                && images.limits.ageMax == .seconds(1_209_600))
        #expect(images.limits.filesMax == 100 && !images.writeBack)
        #expect(images.on.map(\.rawValue) == ["didEnterBackground", "my.own", "another"])
        let other = settings.caches[1]
        #expect(other.limits.isEmpty && other.on.isEmpty)
    }

    @Test func lastValueWinsAndAnEmptyOneRestoresTheDefault() {
        let settings = MemoryFiles.load(
            "[Service]\nListenerTimeout=1\nStopTimeout=3\nListenerTimeout=2\n[Service]\nStopTimeout=\n"
        ).settings

        #expect(settings?.service.listenerTimeout == .seconds(2))
        #expect(settings?.service.stopTimeout == .seconds(25))
    }

    @Test func emptyAssignmentClearsAList() {
        let settings = MemoryFiles.load("[Cache a]\nPath=/a\nOn=x y\nOn=\nOn=z\n").settings

        #expect(settings?.caches.first?.on.map(\.rawValue) == ["z"])
    }

    @Test func cacheWithoutListKeepsTheDefaultOne() {
        let settings = MemoryFiles.load("[Cache a]\nPath=/a\n").settings

        #expect(
            settings?.caches.first?.on.map(\.rawValue) == [
                "flushRequested", "didReceiveMemoryWarning", "didEnterBackground", "willTerminate",
            ])
    }

    @Test func spellingsOfASignalAreOneKey() {
        let settings = MemoryFiles.load("[Signals]\nUSR1=one\nSIGUSR1=two\nRTMIN+1=three\nRTMIN+1=\nHUP=ignore\nHUP=\n")
            .settings

        #expect(settings?.signals.actions[SIGUSR1]?.description == "two")
        #expect(settings?.signals.actions[SignalName.realTime.lowerBound + 1] == nil)
        #expect(settings?.signals.actions[SIGHUP] == .reload)
    }
}
