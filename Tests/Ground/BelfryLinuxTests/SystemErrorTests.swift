// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import BelfryLinux
import Testing

@Suite struct SystemErrorTests {
    @Test func descriptionNamesVerbObjectAndReason() {
        let error = SystemError(ENOENT, verb: "open", object: "/run/x")

        #expect(error.description == "unable to open '/run/x': No such file or directory (ENOENT)")
    }

    @Test func emptyObjectIsLeftOut() {
        let error = SystemError(EPERM, verb: "trim the heap", object: "")

        #expect(error.description == "unable to trim the heap: Operation not permitted (EPERM)")
    }

    @Test func negativeErrnoIsTheSameError() {
        #expect(SystemError(-EACCES, verb: "a", object: "b") == SystemError(EACCES, verb: "a", object: "b"))
    }

    @Test(arguments: [Int32(100_000), .min, .max])
    func unknownNumberIsPrintedAsItIs(code: Int32) {
        let error = SystemError(code, verb: "a", object: "b")

        #expect(error.reason == "unknown error (\(error.code))")
        #expect(error.code > 0)
    }

    @Test(arguments: [EMFILE, ENFILE, ENOMEM, ENOBUFS, ENOLCK, EIO])
    func lackOfSomethingIsAFailureOfTheSystem(code: Int32) {
        #expect(SystemError(-code, verb: "a", object: "b").isSystemFailure)
    }

    @Test(arguments: [EPERM, EACCES, ENOENT, EROFS, ENOSPC, EWOULDBLOCK, EINVAL])
    func refusalIsNoFailureOfTheSystem(code: Int32) {
        #expect(!SystemError(code, verb: "a", object: "b").isSystemFailure)
    }

    @Test func lastReadsErrno() {
        let result = open("/nowhere/at/all", O_RDONLY)
        let error = SystemError.last(verb: "open", object: "/nowhere/at/all")

        #expect(result == -1)
        #expect(error.code == ENOENT)
        #expect(error.name == "ENOENT")
    }

    @Test func checkPassesResultsAndThrowsErrors() throws {
        #expect(try SystemError.check(7, verb: "a", object: "b") == 7)
        #expect(throws: SystemError(EBUSY, verb: "a", object: "b")) {
            try SystemError.check(-EBUSY, verb: "a", object: "b")
        }
    }

    @Test func controlCharactersCannotBeginALine() {
        let error = SystemError(EIO, verb: "read", object: "a\nb\u{1B}[2J\u{2028}ü")

        #expect(error.description.hasPrefix(#"unable to read 'a\nb\u{1B}[2J\u{2028}ü'"#))
    }
}
