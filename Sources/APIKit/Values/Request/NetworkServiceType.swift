/// The kind of traffic, by which the system sets its priority.
public enum NetworkServiceType: Sendable, Hashable {
  /// Ordinary requests.
  case standard
  /// Traffic that no user waits for.
  case background
  /// Traffic that a user waits for.
  case responsiveData
  /// A video call or stream.
  case video
  /// A voice call.
  case voice
}
