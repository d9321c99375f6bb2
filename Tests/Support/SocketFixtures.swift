import APIKitTesting
import XCTest

import APIKit
import APIKitSockets

struct SocketService: APIService {
  var name = "Sockets"
  var environments: ServiceEnvironments
  var client: HTTPClient
  var authenticator: Authenticator?
  var signer: (any RequestSigner)?
  var network = NetworkMonitor(watchesSystem: false)
  var breaker: BreakerPolicy?
  var requestRate = RequestRate.unlimited

  var wire: WireOptions { WireOptions(client: client) }
  var identity: ServiceIdentity { ServiceIdentity(signer: signer, authenticator: authenticator) }
  var admission: AdmissionOptions {
    AdmissionOptions(network: network, requestRate: requestRate, breaker: breaker)
  }
}

final class EchoSocket: BaseSocketManager, SocketManager {
  private let stated: SocketService
  var service: SocketService {
    onService?()
    return stated
  }
  var onService: (() -> Void)?
  var apiName = "echo"
  var subprotocols: [String] = []
  var options = SocketOptions()
  var reconnection = ReconnectPolicy.never
  var headers = HTTPHeaders()
  var signIn = SignInRule.asAvailable
  var networkGate = NetworkGate.fly
  var onPrepare: ((inout SocketReconnection) -> Void)?

  init(_ service: SocketService) { stated = service }

  func prepare(_ reconnection: inout SocketReconnection) { onPrepare?(&reconnection) }
}

/// Writes down what a socket tells, and waits for it.
@MainActor final class SocketLog: SocketManagerDelegate {
  private(set) var lines: [String] = []
  private(set) var messages: [SocketMessage] = []
  private(set) var closing: SocketClosing?
  private(set) var openings: [SocketOpening] = []
  private(set) var unsent: [SocketUnsent] = []
  var onMessage: ((BaseSocketManager, SocketMessage) -> Void)?
  var onClose: ((BaseSocketManager) -> Void)?
  var onOpen: ((BaseSocketManager) -> Void)?
  var onUnsent: ((BaseSocketManager) -> Void)?
  var onDisconnect: ((BaseSocketManager) -> Void)?
  private(set) var waits: [Duration] = []
  private(set) var closings: [SocketClosing] = []

  func socket(_ manager: BaseSocketManager, didOpenWith opening: SocketOpening) {
    lines.append("open")
    openings.append(opening)
    onOpen?(manager)
  }
  func socket(_ manager: BaseSocketManager, didReceive message: SocketMessage) {
    messages.append(message)
    lines.append("message")
    onMessage?(manager, message)
  }
  func socket(
    _ manager: BaseSocketManager, didDisconnectWith closing: SocketClosing, retryAfter: Duration
  ) {
    lines.append("disconnect")
    waits.append(retryAfter)
    onDisconnect?(manager)
  }
  func socket(_ manager: BaseSocketManager, didNotSend messages: [SocketUnsent]) {
    lines.append("unsent")
    unsent += messages
    onUnsent?(manager)
  }
  func socket(_ manager: BaseSocketManager, didCloseWith closing: SocketClosing) {
    lines.append("close")
    self.closing = closing
    closings.append(closing)
    onClose?(manager)
  }

  /// Returns when it is so; fails the test when it does not come to that within some seconds.
  func wait(
    _ what: String = "", file: StaticString = #filePath, line: UInt = #line, until isSo: () -> Bool
  ) async {
    let start = ContinuousClock.now
    while !isSo() {
      guard ContinuousClock.now - start < .seconds(10) else {
        return XCTFail("it did not come to it: \(what); \(lines)", file: file, line: line)
      }
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  func waitForClose(file: StaticString = #filePath, line: UInt = #line) async {
    await wait("close", file: file, line: line) { closing != nil }
  }
}

extension ScriptedServer.Step {
  /// Reads a handshake and accepts it, with further fields.
  static func upgrade(_ fields: String = "", then frames: [UInt8] = []) -> Self {
    .response { Array(accept($0, fields).utf8) + frames }
  }

  private static func accept(_ request: ScriptedServer.Received, _ fields: String) -> String {
    let key = WebSocketHandshake.accept(for: request.headers["Sec-WebSocket-Key"] ?? "") ?? ""
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(key)\r\n\(fields)\r\n"
  }
}
