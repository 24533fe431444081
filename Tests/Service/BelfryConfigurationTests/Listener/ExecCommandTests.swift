// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Testing

struct ExecCommandTests {
    /// `Tests/System/listeners/test_listener_files.py` compares these with systemd.
    @Test(arguments: [
        "/bin/echo a  'b c' \"d\\te\" --x=\"f g\"h": ["a", "b c", "d\te", "--x=f gh"],
        "/bin/echo ${ONE} x${TWO}y $TWO $NONE ${NONE} $$ONE $${ONE} a$ONE $1 $ONE-b $ x ${1}y ${ONE $TWO": [
            "one", "xtwo twoy", "two", "two", "", "$ONE", "${ONE}", "a$ONE", "x", "y", "${ONE", "two", "two",
        ],
        "/bin/echo $QUOTED '$TWO' \"${TWO}\"": ["a b", "c d", "two", "two", "two two"],
        "/bin/echo %i 100%% \\; ';'": ["name", "100%", ";", ";"],
        ":/bin/echo $TWO ${TWO} $$": ["$TWO", "${TWO}", "$$"],
        "/bin/echo '&&' \"|\" '>' a&&b >a": ["&&", "|", ">", "a&&b", ">a"],
    ])
    func wordsAreThoseOfSystemd(text: String, arguments: [String]) throws {
        let variables = ["ONE": "one", "TWO": "two two", "QUOTED": "'a b' c\\ d"]

        let command = try ExecCommand(text, instance: "name")

        #expect(command.program == "/bin/echo")
        #expect(command.arguments(with: variables) == arguments)
    }

    @Test func aDashIgnoresFailure() throws {
        #expect(try ExecCommand("-:true", instance: "x").ignoresFailure)
        #expect(try !ExecCommand("true", instance: "x").ignoresFailure)
    }

    @Test(arguments: [
        ("", 0, "missing command"), ("/bin/true ; /bin/false", 10, "only one command is allowed"),
        ("-+/bin/true", 1, "the prefix '+' is not supported"), ("@/bin/true", 0, "the prefix '@' is not supported"),
        ("bin/true", 0, "expected an absolute path"), ("-", 0, "expected an absolute path"),
        ("/bin/true %n", 10, "unknown specifier '%n'"), ("/bin/true a%", 10, "unknown specifier '%'"),
        ("/bin/true \"a", 10, "missing closing quote"), ("/bin/true \\q", 10, "invalid escape"),
        ("/bin/true && b", 10, "no shell runs this command"), ("/bin/true | b", 10, "no shell runs this command"),
        ("/bin/true a > b", 12, "no shell runs this command"),
        ("touch /run/a; echo b", 6, "no shell runs this command"),
        ("/bin/true \"a \\; b\"", 13, "invalid escape"), ("/bin/true a\\;", 11, "invalid escape"),
    ])
    func whatHasAnotherMeaningInAUnitIsRefused(text: String, offset: Int, message: String) {
        let problem = #expect(throws: ValueProblem.self) { try ExecCommand(text, instance: "x") }

        #expect(problem?.offset == offset)
        #expect(problem?.message.hasPrefix(message) == true, "\(problem?.message ?? "")")
    }

    @Test(.timeLimit(.minutes(1))) func longTextTakesLinearTime() throws {
        let text = "/bin/echo " + String(repeating: "${a", count: 20000) + " $A"

        let command = try ExecCommand(text, instance: "x")

        #expect(command.arguments(with: ["A": String(repeating: "a \\\\", count: 20000)]).count == 20002)
    }
}
