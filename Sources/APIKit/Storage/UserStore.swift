/// Something that keeps data of users on the disk and erases it when a user is forgotten, such as the `ExchangeStore` of
/// APIKitReports, or a database of the application.
///
/// Hand it to the `UserData` of APIKitTransfers. A user is given by its name (``Authenticator/Rules/user``); nil stands for data
/// that names no user.
public protocol UserStore: Sendable {
  /// Notes on the disk that the data of users is to be erased, and keeps no more of their loads that have begun before.
  ///
  /// Should the process end before ``erase(of:)``, the next launch erases them. It waits for nothing but the disk, needs no
  /// room on it, and may be called again.
  func markErasure(of users: Set<String?>) throws
  /// Erases the data of users, and returns when it is gone from the disk; also when the disk is full.
  func erase(of users: Set<String?>) async throws
}
