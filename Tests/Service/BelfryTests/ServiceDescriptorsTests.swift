// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfrySystemd
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ServiceDescriptorsTests {
    let fixture = DaemonFixture()

    private func make(_ received: [(name: String, descriptor: Int32)] = []) -> ServiceDescriptors {
        ServiceDescriptors(received, manager: ServiceManagerSocket(address: fixture.manager.path))
    }

    private func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }

    @Test func descriptorsOfANameAreReceivedOnce() {
        let numbers = (0..<3).map { _ in dup(0) }
        let descriptors = make([("echo", numbers[0]), ("other", numbers[1]), ("echo", numbers[2])])

        var echo = descriptors.receive(named: "echo")

        #expect(echo.map(\.number) == [numbers[0], numbers[2]])
        #expect(descriptors.receive(named: "echo").isEmpty && descriptors.names == ["other"])
        echo = []
        #expect(!isOpen(numbers[0]) && isOpen(numbers[1]) && !isOpen(numbers[2]))
        close(numbers[1])
    }

    @Test func releasedDescriptorStaysOpen() {
        let number = dup(0)
        let descriptors = make([("echo", number)])

        #expect(descriptors.receive(named: "echo").first?.release() == number)

        #expect(isOpen(number))
        close(number)
    }

    @Test func descriptorIsStoredAndRemovedByName() throws {
        let descriptors = make()

        try descriptors.store(0, as: "client 7")
        descriptors.removeStored("client 7")

        #expect(fixture.manager.next() == ["FDSTORE=1", "FDNAME=client 7"])
        #expect(fixture.manager.closeDescriptors() == 1)
        #expect(fixture.manager.next() == ["FDSTOREREMOVE=1", "FDNAME=client 7"])
    }

    @Test(arguments: ["", "a:b", "a\nb", "näme", "belfry-state-0", String(repeating: "x", count: 256)])
    func nameThatSystemdRefusesIsAnError(name: String) {
        let descriptors = make()

        #expect(throws: SystemError(EINVAL, verb: "store descriptor as", object: name)) {
            try descriptors.store(0, as: name)
        }
        descriptors.removeStored(name)
        #expect(!fixture.manager.hasDatagram)
    }

    @Test func closedDescriptorIsAnError() {
        #expect(throws: SystemError(EBADF, verb: "store descriptor", object: "987654")) {
            try make().store(987_654, as: "x")
        }
    }
}
