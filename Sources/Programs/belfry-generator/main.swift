// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryLinux
import BelfrySystemd
import CBelfry
import Glibc

/// How many applications are read.
let mostApplications = 1024

/// Writes a message for the journal, or at boot, when that is not there yet, for the kernel's log.
func report(_ priority: LogPriority, _ message: String, _ fields: JournalFields = [:]) {
    if let journal = try? JournalWriter(identifier: "belfry-generator"),
        access("/run/systemd/journal/socket", W_OK) == 0
    {
        journal.write(
            JournalRecord(priority, "\(message, limit: 4096)", id: MessageID.configuration.rawValue, fields: fields))
        journal.finish()
        return
    }
    let line = "<\(priority.rawValue)>belfry-generator: \(message)\n"
    let log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC | O_NOCTTY)
    guard log >= 0, write(log, line, line.utf8.count) >= 0 else { return StandardStreams.error(line) }
}

extension GeneratedUnits.File {
    /// Writes it. The directory is new and empty for each run (systemd.generator(7)), so nothing is replaced.
    @MainActor func write(below directory: String) throws(SystemError) {
        let path = "\(directory)/\(path)"
        let parent = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
        if mkdir(parent, 0o755) != 0, errno != EEXIST { throw .last(verb: "make", object: parent) }
        switch content {
        case .link(let target):
            if symlink(target, path) != 0 { throw .last(verb: "make", object: path) }
        case .text(let text):
            let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
            guard number >= 0 else { throw .last(verb: "make", object: path) }
            let file = OwnedDescriptor(owning: number)
            guard Glibc.write(file.number, text, text.utf8.count) == text.utf8.count else {
                throw .last(verb: "write", object: path)
            }
        }
    }
}

/// Writes the drop-ins and links of all applications below a directory.
///
/// - Returns: whether all could be written.
func generate(in directory: String, _ scope: ApplicationScope) -> Bool {
    var isComplete = true
    let names = ApplicationFile.names(in: scope) { report(.error, "\($0)") }
    if names.count > mostApplications {
        report(.error, "there are \(names.count) applications, only the first \(mostApplications) are used")
    }
    for name in names.prefix(mostApplications) {
        let application = ApplicationFile(name, in: scope)
        for diagnostic in application.file.diagnostics where diagnostic.severity == .error {
            report(.error, "\(diagnostic)", ["BELFRY_CONFIG_FILE": diagnostic.position.file])
        }
        guard let settings = application.declared else { continue }
        do throws(SystemError) {
            let units = GeneratedUnits(settings, isOfUser: scope.isOfUser, isValid: application.settings != nil)
            for file in units.files { try file.write(below: directory) }
        } catch {
            report(.error, "\(error)")
            isComplete = false
        }
    }
    return isComplete
}

do throws(SystemError) { try StandardStreams.openMissing() } catch { report(.error, "\(error)") }
/// Which manager runs this: systemd.generator(7) says it in `SYSTEMD_SCOPE` since version 251.
let isOfUser = Environment.variables["SYSTEMD_SCOPE"] == "user"
let arguments = CommandLine.arguments.dropFirst()
guard let directory = arguments.first, directory.hasPrefix("/"), arguments.count <= 3 else {
    StandardStreams.error("Usage: belfry-generator NORMAL-DIR [EARLY-DIR LATE-DIR]\n")
    exit(64)
}
let scope = isOfUser ? ApplicationScope.user(Environment.variables) : .system()
exit(scope.map { generate(in: directory, $0) } ?? true ? 0 : 1)
