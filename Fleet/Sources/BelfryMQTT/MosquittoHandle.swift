// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import CBelfryFleet
internal import Glibc

/// A client of libmosquitto for one attempt to connect, and for the connection that it becomes.
///
/// Calls into the library return nil, or the reason why the connection has ended. The library calls back while it reads and writes.
/// The callbacks only store what arrived, so nothing else of ours runs inside of it: it would keep a lock meanwhile, and
/// take errno for its own.
///
/// Behaviour of libmosquitto 2.0 that matters here: it closes its socket whenever it likes, sometimes without a callback
/// (so each call is followed by a look at the socket); it sets SIGPIPE to ignored in the whole process, as `ServiceMain` does;
/// it neither limits the size of what it receives nor the number of acknowledgements that wait to be written (`BrokerLink` does).
///
/// Source: libmosquitto(3), and `lib` of its source code.
final nonisolated class MosquittoHandle: @unchecked Sendable {  // one thread at a time: that which connects, then main
    /// What came from the broker.
    enum Arrival {
        /// CONNACK, with the time between two messages that the broker wants, zero for any.
        case accepted(keepalive: Duration?)
        case message(BrokerMessage)
        case acknowledged(packet: Int32, refusal: String?)
        case subscribed(packet: Int32, refusal: String?)
    }

    /// More than this in one call cannot come from a broker that waits for acknowledgements.
    private static let arrivalLimit = 64 << 20
    private static let isInitialised: Bool = mosquitto_lib_init() == Int32(MOSQ_ERR_SUCCESS.rawValue)

    private let pointer: OpaquePointer
    private let settings: BrokerSettings
    /// How many packets were read or written.
    private(set) var packetCount = 0
    private var arrivals: [Arrival] = []
    private var arrivedBytes = 0
    /// Why the broker refused or ended the connection.
    private var refusal: String?
    /// The longest packet that the broker takes, if it has said so.
    private var packetLimit: UInt32?
    /// The library's own error messages.
    private var errors: [String] = []

    /// Prepares a connection with a last will.
    ///
    /// - Throws: `BrokerFailure` for settings that cannot be used, such as a missing file.
    init(_ settings: BrokerSettings, will: BrokerMessage) throws(BrokerFailure) {
        guard Self.isInitialised, let made = mosquitto_new(settings.clientID, true, nil) else {
            throw BrokerFailure("unable to use libmosquitto: \(SystemError(errno, verb: "", object: "").reason)")
        }
        pointer = made
        self.settings = settings
        try configure(will)
        setCallbacks()
    }

    deinit { mosquitto_destroy(pointer) }

    private func configure(_ will: BrokerMessage) throws(BrokerFailure) {
        try check(mosquitto_int_option(pointer, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5), "protocol")
        try check(mosquitto_int_option(pointer, MOSQ_OPT_SEND_MAXIMUM, 256), "window")
        try check(mosquitto_int_option(pointer, MOSQ_OPT_TCP_NODELAY, 1), "socket")
        try check(
            mosquitto_will_set_v5(
                pointer, will.topic, Int32(will.payload.count), will.payload, 1, will.isRetained, nil),
            "will")
        if settings.isTLS {
            for file in [settings.caFile, settings.certificateFile, settings.keyFile] {
                if let file { _ = try FileBytes.read(file) }
            }
            // The function is for keys with a pass phrase, which OpenSSL would otherwise ask for on the terminal.
            try check(
                mosquitto_tls_set(
                    pointer, settings.caFile, settings.caFile == nil ? "/etc/ssl/certs" : nil, settings.certificateFile,
                    settings.keyFile, { _, _, _, _ in 0 }
                ), "certificates")
        }
        if settings.user != nil || settings.passwordFile != nil {
            var password = try settings.passwordFile.map { (file) throws(BrokerFailure) in try FileBytes.read(file) }
            if password?.last == UInt8(ascii: "\n") { password?.removeLast() }
            try check(
                mosquitto_username_pw_set(
                    pointer, settings.user, password.map { $0.map(CChar.init(bitPattern:)) + [0] }),
                "password")
        }
    }

    private func check(_ code: Int32, _ what: String) throws(BrokerFailure) {
        guard code != 0 else { return }
        throw BrokerFailure("unable to set the \(what) of the connection: \(Self.text(code))")
    }

    // MARK: Calls

    /// Resolves the name, connects, and begins the greeting. It blocks, up to minutes.
    func connect() -> String? {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        // The broker drops longer packets without a word. Headers and properties come to what a message may have.
        mosquitto_property_add_int32(
            &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), UInt32(BrokerMessage.sizeLimit + 4096))
        return reason(
            mosquitto_connect_bind_v5(
                pointer, settings.host, Int32(settings.port), Int32(settings.keepaliveSeconds), nil, properties))
    }

    /// The descriptor of the connection; -1 when it has ended.
    var socket: Int32 { mosquitto_socket(pointer) }

    /// Whether `write` should be called as soon as the socket is writable.
    var wantsWrite: Bool { mosquitto_want_write(pointer) }

    /// Reads what is there, and answers it. This is also what advances a TLS handshake.
    func read() -> String? { reason(belfry_mosquitto_read(pointer)) }

    /// Writes what waits.
    func write() -> String? { reason(mosquitto_loop_write(pointer, 1)) }

    /// Keeps the connection alive. To be called each second.
    func tick() -> String? { reason(mosquitto_loop_misc(pointer)) }

    /// Publishes at QoS 1.
    ///
    /// - Returns: the packet identifier, or why the broker will never get this message. If the connection fails, `read` says
    ///   so later.
    func publish(_ message: BrokerMessage) -> Result<Int32, BrokerFailure> {
        // The library's own check is one byte short of another one, with which it would end the process.
        if let packetLimit, message.size + 32 > packetLimit {
            return .failure(BrokerFailure("longer than the broker takes"))
        }
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        if let expiry = message.expirySeconds {
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
        }
        var packet: Int32 = 0
        let code = mosquitto_publish_v5(
            pointer, &packet, message.topic, Int32(message.payload.count), message.payload, 1, message.isRetained,
            properties)
        switch mosq_err_t(code) {
        case MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8,
            MOSQ_ERR_QOS_NOT_SUPPORTED:
            return .failure(BrokerFailure(Self.text(code)))
        default: return .success(packet)
        }
    }

    /// Subscribes at QoS 1. Returns the packet identifier.
    func subscribe(_ topic: String) -> Int32 {
        var packet: Int32 = 0
        mosquitto_subscribe_v5(pointer, &packet, topic, 1, 0, nil)
        return packet
    }

    func unsubscribe(_ topic: String) { mosquitto_unsubscribe_v5(pointer, nil, topic, nil) }

    /// Says good-bye, so that the broker drops the will. The connection ends when that is written.
    func disconnect() { mosquitto_disconnect_v5(pointer, 0, nil) }

    /// What has arrived since the last call.
    func takeArrivals() -> [Arrival] {
        defer {
            arrivals = []
            arrivedBytes = 0
        }
        return arrivals
    }

    /// Why the connection has ended after a call that returned `code`; nil when it has not.
    private func reason(_ code: Int32) -> String? {
        let number = errno
        if code == 0, socket >= 0 { return arrivedBytes > Self.arrivalLimit ? "the broker floods us" : nil }
        if let refusal { return refusal }
        if !errors.isEmpty { return errors.joined(separator: ", ") }
        switch mosq_err_t(code) {
        case MOSQ_ERR_SUCCESS: return "the connection is closed"
        case MOSQ_ERR_EAI: return String(cString: gai_strerror(number))
        // Of TLS, without an error of OpenSSL: the connection broke below it.
        case MOSQ_ERR_ERRNO where number == EPROTO: return "the broker closed the connection"
        case MOSQ_ERR_ERRNO where number != 0: return SystemError(number, verb: "", object: "").reason
        case MOSQ_ERR_CONN_LOST: return "the broker closed the connection"
        case MOSQ_ERR_MALFORMED_PACKET: return "the broker sends a malformed packet"
        case MOSQ_ERR_KEEPALIVE: return "the broker does not answer"
        default: return Self.text(code)
        }
    }

    private static func text(_ code: Int32) -> String { plain(String(cString: mosquitto_strerror(code))) }
}

/// Why a broker cannot be reached.
nonisolated struct BrokerFailure: Error, Equatable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

// MARK: - Callbacks

nonisolated extension MosquittoHandle {
    private func setCallbacks() {
        mosquitto_user_data_set(pointer, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_log_callback_set(pointer) { _, userdata, level, text in
            MosquittoHandle.handle(userdata)?.log(level, text)
        }
        mosquitto_connect_v5_callback_set(pointer) { _, userdata, code, _, properties in
            MosquittoHandle.handle(userdata)?.greet(code, properties)
        }
        mosquitto_disconnect_v5_callback_set(pointer) { _, userdata, code, _ in
            // Smaller numbers are errors of the library, which its functions return too.
            if code >= 128 { MosquittoHandle.handle(userdata)?.refuse(code) }
        }
        mosquitto_message_v5_callback_set(pointer) { _, userdata, message, _ in
            if let message = message?.pointee { MosquittoHandle.handle(userdata)?.receive(message) }
        }
        mosquitto_publish_v5_callback_set(pointer) { _, userdata, packet, code, _ in
            MosquittoHandle.handle(userdata)?.arrivals.append(
                .acknowledged(packet: packet, refusal: MosquittoHandle.refusal(code)))
        }
        mosquitto_subscribe_v5_callback_set(pointer) { _, userdata, packet, count, codes, _ in
            let code = count > 0 ? codes?.pointee ?? 0 : 0
            MosquittoHandle.handle(userdata)?.arrivals.append(
                .subscribed(packet: packet, refusal: MosquittoHandle.refusal(code)))
        }
    }

    private static func handle(_ userdata: UnsafeMutableRawPointer?) -> MosquittoHandle? {
        userdata.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    private static func refusal(_ code: Int32) -> String? {
        code < 128 ? nil : String(cString: mosquitto_reason_string(code))
    }

    /// Each packet that is read or written has its line at the debug level; libmosquitto has no other sign of some of them.
    private func log(_ level: Int32, _ text: UnsafePointer<CChar>?) {
        guard level == MOSQ_LOG_ERR, let text else { return packetCount += 1 }
        guard errors.count < 4 else { return }
        let error = Self.plain(String(cString: text))
        if !errors.contains(error) { errors.append(error) }
    }

    /// `error:0A000086:SSL routines::certificate verify failed` without the numbers and routines of OpenSSL, and
    /// `Error: …` without this word.
    private static func plain(_ text: String) -> String {
        var text = Substring(text)
        if text.hasPrefix("OpenSSL Error"), let colon = text.lastIndex(of: ":") {
            text = text[text.index(after: colon)...]
        }
        if text.hasPrefix("Error: ") { text = text.dropFirst(7) }
        while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
        return SystemError.escape(String(text.prefix(200)))
    }

    private func greet(_ code: Int32, _ properties: OpaquePointer?) {
        guard code == 0 else { return refuse(code) }
        var seconds: UInt16 = 0
        let hasOwn =
            mosquitto_property_read_int16(
                properties, Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &seconds, false) != nil
        var limit: UInt32 = 0
        if mosquitto_property_read_int32(
            properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &limit, false) != nil
        {
            packetLimit = limit
        }
        arrivals.append(.accepted(keepalive: hasOwn ? .seconds(Int(seconds)) : nil))
    }

    private func refuse(_ code: Int32) {
        if refusal == nil { refusal = "the broker says: \(String(cString: mosquitto_reason_string(code)))" }
    }

    private func receive(_ message: mosquitto_message) {
        let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
        arrivedBytes += payload.count
        guard arrivedBytes <= Self.arrivalLimit, let topic = message.topic else { return }
        arrivals.append(
            .message(
                BrokerMessage(topic: String(cString: topic), payload: Array(payload), isRetained: message.retain)))
    }
}
