/// A store of user data on disk that can erase the data of a user, such as the `ExchangeStore` of APIKitReports, or a
/// database of the application.
///
/// Pass it to the `UserData` of APIKitTransfers. A user is given by its name (``Authenticator/Rules/user``); nil stands for
/// data that names no user.
public protocol UserStore: Sendable {
  /// Notes on disk that the data of users must be erased, and stores nothing more of their earlier loads.
  ///
  /// If the process ends before ``erase(of:)``, the next launch erases the data. It waits for the disk only, needs no free
  /// space, and may be called again.
  func markErasure(of users: Set<String?>) throws
  /// Erases the data of users, and returns when it is gone from the disk; also when the disk is full.
  func erase(of users: Set<String?>) async throws
}
