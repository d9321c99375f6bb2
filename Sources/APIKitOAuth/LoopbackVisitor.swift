import APIKit
import Foundation

/// One connection to a ``LoopbackRedirect``: reads the head of a request, then sends a page. It never blocks.
///
/// The descriptor belongs to it and is closed when it is released.
final class LoopbackVisitor {
  /// The steps of a visit, in order.
  private enum VisitPhase { case reading, sending, over }

  private let descriptor: Int32
  private let end: ContinuousClock.Instant
  private var phase = VisitPhase.reading
  private var head: [UInt8] = []
  private var page: ArraySlice<UInt8> = []

  /// A longer request head cannot be a redirect.
  private static let maximumHead = 16 << 10

  /// Takes over an accepted connection, which ends at this instant in any case.
  init(_ descriptor: Int32, until end: ContinuousClock.Instant) {
    self.descriptor = descriptor
    self.end = end
  }

  deinit { LoopbackSocket.end(descriptor) }

  /// Receives and sends without blocking; returns whether the visit is over.
  ///
  /// - Parameter respond: Makes the response to a request's target; it is empty when the request is no GET.
  ///   Called once.
  func proceed(respond: (_ target: String) -> [UInt8]) -> Bool {
    if phase == .reading, let target = receive() {
      page = respond(target)[...]
      phase = .sending
    }
    if phase == .sending { send() }
    if ContinuousClock.now >= end { phase = .over }
    return phase == .over
  }

  /// The target of the request once its head is complete.
  private func receive() -> String? {
    while head.count < Self.maximumHead {
      guard let bytes = LoopbackSocket.receive(descriptor) else {
        phase = .over
        return nil
      }
      if bytes.isEmpty { return nil }
      head += bytes
      if head.firstRange(of: "\r\n\r\n".utf8) != nil { return Self.target(head) }
    }
    return ""
  }

  private func send() {
    while !page.isEmpty {
      guard let count = LoopbackSocket.send(descriptor, page) else { return phase = .over }
      if count == 0 { return }
      page = page.dropFirst(count)
    }
    phase = .over
  }

  /// The target of a GET request; empty for anything else.
  private static func target(_ head: [UInt8]) -> String {
    let line = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self)
    let words = line.split(separator: " ")
    guard words.count == 3, words[0] == "GET", words[1].hasPrefix("/") else { return "" }
    return String(words[1])
  }
}
