/// An error that a backend reports in the body of a response.
public struct BusinessError: Error, Sendable, Hashable {
  /// The backend's code, as text.
  public var code: String
  /// The backend's message; shown in logs, so it must not hold secrets.
  public var message: String

  /// Makes an error.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }
}

/// How a backend reports errors inside responses of a good status: an HTTP 200 that says "error" inside.
///
/// ```swift
/// let businessErrors: BusinessErrorRule = .code("code", success: "0", message: "msg")
/// ```
public struct BusinessErrorRule: Sendable {
  private enum Kind {
    case none
    case code(RawPath, success: Set<String>, message: RawPath)
    case custom(@Sendable (RawData, APICall) -> BusinessError?)
  }
  private let kind: Kind

  /// Responses report no errors.
  public static let none = BusinessErrorRule(kind: .none)

  /// A code that is there and is none of those that mean success is an error.
  ///
  /// - Parameters:
  ///   - path: Where the code stands: `code`, `status.code`. Numbers count as text.
  ///   - success: The codes that mean success.
  ///   - message: Where the message stands.
  public static func code(
    _ path: RawPath, success: String..., message: RawPath
  ) -> BusinessErrorRule {
    BusinessErrorRule(kind: .code(path, success: Set(success), message: message))
  }

  /// A rule of the application's own. Runs off the main actor.
  public static func rule(
    _ find: @escaping @Sendable (RawData, APICall) -> BusinessError?
  ) -> BusinessErrorRule {
    BusinessErrorRule(kind: .custom(find))
  }

  /// Whether the rule is code of the application.
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

/// What a service's common-error hook makes of a failure.
public enum ErrorResolution: Sendable {
  /// The failure lands as it is.
  case letThrough
  /// The failure lands as this one.
  case replace(APIError)
  /// The service has dealt with it: the flight lands as cancelled, with
  /// ``CancellationReason/handledByService``.
  case swallow
  /// The load is sent again. When it fails in the same way (the same ``APIError/label``) the failure lands;
  /// after other failures the hook is asked again, for three replays at most.
  case replay
  /// The flight is suspended, for a reason that its record keeps, until the work is done and says what to
  /// do: run a sign-in, show a captcha, then `.replay`.
  case suspend(for: String, until: @Sendable () async -> ErrorResolution)
}
