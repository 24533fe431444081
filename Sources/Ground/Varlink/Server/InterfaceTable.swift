// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The interfaces of a server, `org.varlink.service` included.
final class InterfaceTable {
    private final class Method {
        let fields: [VarlinkInterfaceDescription.Field]
        let interface: VarlinkInterface
        let handler: VarlinkInterface.Handler?
        let upgrade: VarlinkInterface.Handler?

        init(_ name: String, _ fields: [VarlinkInterfaceDescription.Field], of interface: VarlinkInterface) {
            self.fields = fields
            self.interface = interface
            handler = interface.methods[name]
            upgrade = interface.upgrades[name]
        }
    }

    private let info: VarlinkServiceInfo
    private var interfaces: [UTF8Text: VarlinkInterface] = [:]
    private var methods: [UTF8Text: Method] = [:]

    init(_ info: VarlinkServiceInfo) {
        self.info = info
        // The text is constant, and a test parses it.
        if let service = try? ServiceInterface.interface(of: self) { add(service) }
    }

    /// Adds an interface. It replaces an interface of the same name.
    func add(_ interface: VarlinkInterface) {
        if let old = interfaces[UTF8Text(interface.name)] {
            for name in old.description.methods.keys { methods[UTF8Text("\(old.name).\(name)")] = nil }
        }
        interfaces[UTF8Text(interface.name)] = interface
        for (name, fields) in interface.description.methods {
            methods[UTF8Text("\(interface.name).\(name)")] = Method(name, fields, of: interface)
        }
    }

    /// Calls the method's handler.
    func dispatch(_ request: VarlinkRequest) {
        guard let method = methods[UTF8Text(request.method)] else { return request.fail(unknown(request.method)) }
        guard let handler = request.wantsUpgrade ? method.upgrade : method.handler else {
            let isUpgrade = !request.wantsUpgrade && method.upgrade != nil
            return request.fail(isUpgrade ? .expectedUpgrade : .methodNotImplemented(request.method))
        }
        if let parameter = method.interface.description.mismatch(request.parameters, with: method.fields) {
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
    func text(of interface: String) -> String? { interfaces[UTF8Text(interface)]?.text }
}
