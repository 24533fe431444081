// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux
internal import Lifecycle

/// Checks the files of all listeners, and what a start of them would meet: their programs, and the order that they
/// declare.
package nonisolated struct ListenerCheck {
    /// The listeners that every belfryd has, in their order.
    package static let builtIn = [
        "logger", "configuration", "socket", "application", "restoration", "cacheFlush", "serviceManager",
    ]

    private var found = DiagnosticList()
    private var files: [ListenerFile] = []

    /// All errors and warnings.
    package var diagnostics: [ConfigurationDiagnostic] { files.flatMap(\.file.diagnostics) + found.diagnostics }

    /// Checks the files in all directories.
    ///
    /// - Parameters:
    ///   - root: a prefix of the directories.
    ///   - account: the user of the unit with this name; nil if that is not known.
    package init(
        root: String = "", reader: any ConfigurationFileReader = SystemFileReader(),
        account: (_ unit: String) -> FileAccount? = { _ in nil }
    ) {
        let directories = ListenerFile.directories(root)
        let paths = reader.files(in: directories, suffix: ListenerFile.suffix) { problem in
            found.error(at: ConfigurationPosition(file: problem.object), "\(problem)", errorNumber: problem.code)
        }
        for path in paths {
            let name = DeclarationFile.name(of: path, suffix: ListenerFile.suffix)
            let listener = ListenerFile(name, root: root, reader: reader)
            files.append(listener)
            guard let settings = listener.settings else { continue }
            let account = account("belfry-listener@\(name).service")
            if let problem = account?.problem(.read, path) {
                found.error(at: ConfigurationPosition(file: path), problem)
            }
            for (key, command) in settings.programs {
                guard let problem = ProgramFile.problem(command.program, for: account) else { continue }
                report(problem, at: key, of: listener)
            }
        }
        checkOrder()
    }

    /// The listeners of one service must have an order, and a name that none of them has is probably misspelt. What
    /// other services have in their process is not known here.
    private mutating func checkOrder() {
        let ofService = Dictionary(grouping: files.filter { $0.settings != nil }) {
            UTF8Text($0.settings?.socket ?? "")
        }
        for (socket, listeners) in ofService.sorted(by: { $0.key < $1.key }) {
            let places = listeners.compactMap(\.settings).map { ListenerOrder.Place($0.name, follows: $0.follows) }
            do throws(ListenerOrderError) {
                _ = try ListenerOrder(places)
            } catch {
                report("\(error)", at: "Follows", of: listeners.first { $0.settings?.follows.isEmpty == false })
            }
            let isOfInstance = socket.string.utf8.starts(with: "/run/belfry@".utf8)
            guard isOfInstance || socket.string.hasSameBytes(as: ListenerSettings.defaultSocket) else { continue }
            let names = Self.builtIn + places.map(\.name)
            for listener in listeners {
                for name in listener.settings?.follows ?? [] where !names.contains(where: name.hasSameBytes) {
                    let text =
                        "there is no listener \(DisplayText.quoted(name)) to follow, unless another program attaches"
                    guard let position = listener.file.position(of: "Follows", in: ListenerFile.section) else {
                        continue
                    }
                    found.warning(at: position, text)
                }
            }
        }
    }

    private mutating func report(_ problem: String, at key: String, of listener: ListenerFile?) {
        guard let position = listener?.file.position(of: key, in: ListenerFile.section) else { return }
        found.error(at: position, problem)
    }
}
