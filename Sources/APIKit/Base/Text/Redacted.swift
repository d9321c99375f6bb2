/// A value of which only its description is printed, which holds no secret.
package protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  /// The same as `description`.
  public var debugDescription: String { description }
  /// Holds only the description, so that `dump` shows no secret either.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
