// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The interfaces of a server, `org.varlink.service` included.
final class InterfaceTable {
    private final class Method {
        let fields: [VarlinkInterfaceDescription.Field]
        let description: VarlinkInterfaceDescription
        let handler: VarlinkInterface.Handler?

        init(_ name: String, _ fields: [VarlinkInterfaceDescription.Field], of entry: Entry) {
            self.fields = fields
            description = entry.description
            handler = entry.interface.methods[name]
        }
    }

    /// An interface, whose description is parsed when it is needed.
    private final class Entry {
        let interface: VarlinkInterface
        var isRead = false
        private(set) lazy var description: VarlinkInterfaceDescription =
            (try? VarlinkInterfaceDescription(interface.text))
            ?? VarlinkInterfaceDescription(name: interface.name, methods: [:], types: [:])

        init(_ interface: VarlinkInterface) { self.interface = interface }
    }

    private let info: VarlinkServiceInfo
    private var interfaces: [UTF8Text: Entry] = [:]
    /// The methods of the interfaces whose descriptions were read.
    private var methods: [UTF8Text: Method] = [:]

    init(_ info: VarlinkServiceInfo) {
        self.info = info
        add(ServiceInterface.interface(of: self))
    }

    /// Adds an interface. It replaces an interface of the same name.
    func add(_ interface: VarlinkInterface) {
        if let old = interfaces[UTF8Text(interface.name)], old.isRead {
            for name in old.description.methods.keys { methods[UTF8Text("\(interface.name).\(name)")] = nil }
        }
        interfaces[UTF8Text(interface.name)] = Entry(interface)
    }

    /// The method with this full name. The first call of an interface reads its description.
    private func method(_ name: String) -> Method? {
        if let known = methods[UTF8Text(name)] { return known }
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            let entry = interfaces[UTF8Text(String(name[..<dot]))], !entry.isRead
        else { return nil }
        entry.isRead = true
        for (name, fields) in entry.description.methods {
            methods[UTF8Text("\(entry.interface.name).\(name)")] = Method(name, fields, of: entry)
        }
        return methods[UTF8Text(name)]
    }

    /// Calls the method's handler.
    func dispatch(_ request: VarlinkRequest) {
        guard let method = method(request.method) else { return request.fail(unknown(request.method)) }
        // Any reply but an error would hand the connection over to another protocol, which no method has.
        guard let handler = method.handler, !request.wantsUpgrade else {
            return request.fail(.methodNotImplemented(request.method))
        }
        if let parameter = method.description.mismatch(request.parameters, with: method.fields) {
            return request.fail(.invalidParameter(parameter))
        }
        handler(request)
    }

    private func unknown(_ method: String) -> VarlinkServiceError {
        guard let dot = method.utf8.lastIndex(of: UInt8(ascii: ".")) else { return .interfaceNotFound(method) }
        let interface = String(method[..<dot])
        return interfaces[UTF8Text(interface)] == nil ? .interfaceNotFound(interface) : .methodNotFound(method)
    }

    /// The answer to `GetInfo`.
    var infoParameters: JSONObject {
        let names = interfaces.keys.map(\.string).filter { $0 != ServiceInterface.name }.sorted()
        return [
            "vendor": .string(info.vendor), "product": .string(info.product), "version": .string(info.version),
            "url": .string(info.url), "interfaces": .array(([ServiceInterface.name] + names).map { .string($0) }),
        ]
    }

    /// The description of an interface; nil when there is none.
    func text(of interface: String) -> String? { interfaces[UTF8Text(interface)]?.interface.text }
}
