@testable import APIKit
@testable import APIKitSockets

/// A client that sends every message back, unless it is told not to.
struct EchoingClient {
  private let echoes: Bool
  private var machine: WebSocketMachine
  private var output = WebSocketMachine.Output()
  /// Everything it has sent.
  private(set) var sent: [UInt8] = []
  /// Every message that has come, sent back or not.
  private(set) var received: [SocketMessage] = []
  private(set) var hasEndedSending = false

  init(_ terms: DeflateTerms? = nil, echoes: Bool = true, _ change: (inout SocketOptions) -> Void = { _ in })
  {
    self.echoes = echoes
    var options = SocketOptions()
    change(&options)
    machine = WebSocketMachine(
      options, terms, masks: MaskSource { (0..<$0).map { [0x11, 0x22, 0x33, 0x44][$0 & 3] } }, now: .zero)
  }

  mutating func receive(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    repeat {
      let taken = machine.receive(
        UnsafeRawBufferPointer(rebasing: rest), now: .zero, isCongested: false, into: &output)
      rest = rest.dropFirst(taken)
      respond()
    } while !rest.isEmpty
  }

  private mutating func respond() {
    let events = output.events
    output.events = []
    collect()
    for event in events {
      guard case .message(let message) = event else { continue }
      received.append(message)
      guard echoes else { continue }
      _ = machine.send(message, packs: true, into: &output)
      collect()
    }
  }

  private mutating func collect() {
    sent += output.bytes
    output.bytes.removeAll(keepingCapacity: true)
    if output.endsSending { hasEndedSending = true }
  }

  mutating func receive(_ bytes: [UInt8], piece: Int) {
    bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: piece) {
        receive(UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, start + piece)]))
      }
    }
  }

  /// The server has closed the connection as well.
  mutating func closing() -> SocketClosing { machine.closing(after: .byServer) }
}
