// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct DiagnosticTests {
    @Test(arguments: [
        "[Servcie]": "1:2: error: unknown section [Servcie], did you mean '[Service]'?",
        "[Cahce web]": "1:2: error: unknown section [Cahce], did you mean '[Cache web]'?",
        "[Servcie web]": "1:2: error: unknown section [Servcie], did you mean '[Service]'?",
        "[Zebra]\nA=1": "1:2: error: unknown section [Zebra]",
        "[Service x]": "1:10: error: section [Service] takes no name, found 'x'",
        "[Cache]": "1:2: error: section [Cache] needs a name, as in [Cache NAME]",
        "[Cache a/b]": "1:9: error: invalid name 'a/b', expected letters, digits, '.', '_' and '-'",
        "[Socket]\n\n  Gruop=x": "3:3: error: unknown key 'Gruop' in section [Socket], did you mean 'Group'?",
        "[Service]\nGroup=x": "2:1: error: unknown key 'Group' in section [Service], it belongs to [Socket]",
        "[Service]\nTimeoutStopSec=3s":
            "2:1: error: unknown key 'TimeoutStopSec' in section [Service], it belongs to the unit: 'systemctl edit'",
        "[Service]\nElephant=x": "2:1: error: unknown key 'Elephant' in section [Service]",
        "[Service]\nStopOnPause = maybe":
            "2:15: error: invalid value of 'StopOnPause': expected 'yes' or 'no', not 'maybe'",
        "[Logger]\nTarget=jornal":
            "2:8: error: invalid value of 'Target': expected one of 'auto', 'journal', 'stderr', 'null', not 'jornal', "
            + "did you mean 'journal'?",
        "[Logger]\nLevel=degub":
            "2:7: error: invalid value of 'Level': expected a log level from 'emerg' to 'debug' or 0 to 7, "
            + "not 'degub', did you mean 'debug'?",
        "[Service]\nStopTimeout=1min 5parsecs":
            "2:19: error: invalid value of 'StopTimeout': unknown unit of time 'parsecs'",
        "[Socket]\nConnectionsMax=0":
            "2:16: error: invalid value of 'ConnectionsMax': number '0' is out of range, expected 1 to 65536",
        "[Socket]\nReplayMax=1x": "2:11: error: invalid value of 'ReplayMax': expected a whole number, not '1x'",
        "[Socket]\nFrameMax=1":
            "2:10: error: invalid value of 'FrameMax': size is out of range, expected 4096 to 67108864 bytes",
        "[Socket]\nFrameMax=infinity":
            "2:10: error: invalid value of 'FrameMax': expected a size, it cannot be 'infinity'",
        "[Socket]\nGroup=a:b": "2:8: error: invalid value of 'Group': invalid user or group name 'a:b'",
        "[Signals]\nUSR3=stop": "2:1: error: unknown signal 'USR3', did you mean 'USR1'?",
        "[Signals]\nKILL=stop": "2:1: error: signal 'KILL' cannot be mapped, the kernel never delivers it",
        "[Signals]\nSEGV=stop": "2:1: error: signal 'SEGV' cannot be mapped, it reports a fault of the program itself",
        "[Signals]\nUSR1=a b":
            "2:7: error: invalid value of 'USR1': invalid notification name 'a b', expected a letter, then letters, "
            + "digits, '.' and '-'",
    ])
    func errorHasItsPositionAndReason(text: String, problem: String) {
        let loaded = MemoryFiles.load(text)

        #expect(loaded.diagnostics.map(\.description) == ["a.conf:" + problem])
        #expect(loaded.settings == nil)
    }

    @Test(arguments: ["KILL", "STOP", "SEGV", "BUS", "FPE", "ILL", "TRAP", "ABRT", "SYS", "IOT"])
    func unmappableSignalsAreErrors(signal: String) {
        #expect(MemoryFiles.load("[Signals]\n\(signal)=ignore").settings == nil)
    }

    @Test(arguments: [
        "[Signals]\nUSR1=Stop": "2:6: warning: 'Stop' is taken as a notification name, did you mean the action 'stop'?",
        "[Signals]\nUSR1=relaod":
            "2:6: warning: 'relaod' is taken as a notification name, did you mean the action 'reload'?",
        "[Signals]\nUSR1=flushRequest":
            "2:6: warning: no notification of Belfry's is named 'flushRequest', did you mean 'flushRequested'?",
        "[Cache a]\nPath=/a\nOn=mine \\\n  wilTerminate":
            "4:3: warning: no notification of Belfry's is named 'wilTerminate', did you mean 'willTerminate'?",
    ])
    func nearMissOfANameIsAWarning(text: String, problem: String) {
        let loaded = MemoryFiles.load(text)

        #expect(loaded.diagnostics.map(\.description) == ["a.conf:" + problem])
        #expect(loaded.settings != nil)
    }

    @Test func problemsAreInTheOrderOfTheLines() {
        let problems = MemoryFiles.problems("[Service]\nFoo=1\nbroken\nStopTimeout=x\n[Bar]\n[Cache]\n\u{0}\n")

        #expect(problems.map { $0.split(separator: ":")[1] } == ["2", "3", "4", "5", "6", "7"])
    }

    @Test func columnsCountCharacters() {
        #expect(MemoryFiles.problems("[Socket]\nPath=äöü").first?.hasPrefix("a.conf:2:6:") == true)
        #expect(MemoryFiles.problems("[Cache a]\nPath=/a\nOn=\"ä\"").first?.hasPrefix("a.conf:3:4:") == true)
        #expect(MemoryFiles.problems("[Cache a]\nPath=/a\nOn=a b \"ä\"").first?.hasPrefix("a.conf:3:8:") == true)
    }

    @Test func errorInAnOverriddenLineIsAnError() {
        #expect(MemoryFiles.load("[Service]\nStopTimeout=x\nStopTimeout=5\n").settings == nil)
    }
}
