public import Foundation

/// An error that a backend reports in the body of a response.
public struct BusinessError: Error, Sendable, Hashable {
  /// The backend's code, as text.
  public var code: String
  /// The backend's message. It appears in logs, so it must not contain secrets.
  public var message: String

  /// Makes an error.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}

extension APIError {
  /// What the backend has reported in the body of the response; nil for another failure. See ``APIService/businessErrors``.
  public var businessError: BusinessError? { underlying as? BusinessError }
}

extension BusinessError: LocalizedError {
  /// The backend's message, for the user; nil when it is empty.
  public var errorDescription: String? { message.isEmpty ? nil : message }
}

/// How a backend reports errors in the bodies of responses with a good status, e.g. with an error code in
/// an HTTP 200.
///
/// ```swift
/// let businessErrors: BusinessErrorRule = .code("code", success: "0", message: "msg")
/// ```
public struct BusinessErrorRule: Sendable {
  package enum BusinessErrorSource {
    case none
    case code(RawPath, success: Set<String>, message: RawPath)
    case custom(@Sendable (RawData, APICall) -> BusinessError?)
  }
  package let kind: BusinessErrorSource

  package init(kind: BusinessErrorSource) { self.kind = kind }

  /// Responses report no errors.
  public static let none = BusinessErrorRule(kind: .none)

  /// A code that is present and not one of those for success is an error.
  ///
  /// - Parameters:
  ///   - path: The path of the code: `code`, `status.code`. Whole numbers are compared as text.
  ///   - success: The codes that mean success.
  ///   - message: The path of the message.
  public static func code(
    _ path: RawPath, success: String..., message: RawPath
  ) -> BusinessErrorRule {
    BusinessErrorRule(kind: .code(path, success: Set(success), message: message))
  }

  /// A rule of the application. Called off the main actor for every decoded response; nil means no error.
  public static func rule(
    _ find: @escaping @Sendable (RawData, APICall) -> BusinessError?
  ) -> BusinessErrorRule {
    BusinessErrorRule(kind: .custom(find))
  }

  /// Whether there is a rule.
  var isStated: Bool { if case .none = kind { false } else { true } }

  /// Whether the rule runs code of the application.
  var isCustom: Bool { if case .custom = kind { true } else { false } }

  /// The error that a body reports; nil when it reports none.
  func error(in raw: RawData, of call: APICall) -> BusinessError? {
    switch kind {
    case .none: return nil
    case .custom(let find): return find(raw, call)
    case .code(let path, let success, let message):
      let found = raw.at(path)
      guard let code = found.string ?? found.int.map({ String($0) }), !success.contains(code) else {
        return nil
      }
      return BusinessError(code: code, message: raw.at(message).string ?? "")
    }
  }
}

/// The decision of a service's error hook about a failure.
public enum ErrorResolution: Sendable {
  /// The failure lands as it is.
  case letThrough
  /// This error lands instead of the failure.
  case replace(APIError)
  /// The service has handled the failure. The flight lands as cancelled, with
  /// ``CancellationReason/handledByService``.
  case swallow
  /// The load is sent again. If it fails again with the same ``APIError/label``, that failure lands; after
  /// other failures the hook is called again, for at most three replays.
  case replay
  /// The flight is suspended until the work is done, and the work returns the next decision: run a
  /// sign-in or show a captcha, then return `.replay`. The reason appears in the flight's record.
  case suspend(for: String, until: @Sendable () async -> ErrorResolution)
}
