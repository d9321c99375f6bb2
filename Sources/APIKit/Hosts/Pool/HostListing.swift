/// When a pool asks its source: a state machine without time, tasks or sockets; times and days come with each event.
struct HostListing {
  enum Need: Equatable {
    case nothing
    /// The list on disk is to be read first.
    case read
    /// The source is to be asked, while loads continue.
    case refresh
    /// The source is to be asked, and loads wait: there is no address, or only such as are long out of date.
    case wait
  }

  /// After a failure the source is left alone for so long.
  static let pause = Duration.seconds(30)
  /// The longest wait of a load for the source.
  static let patience = Duration.seconds(2)

  let isDaily: Bool
  private var isRead: Bool
  /// The day of the list, counted from 1970. Another day is another day, be it an earlier one: a clock may be set back.
  private var day: Int?
  private var expiry: (at: Duration, lifetime: Duration)?
  private var pausedUntil: Duration?

  init(isDaily: Bool) {
    self.isDaily = isDaily
    isRead = !isDaily
  }

  func need(now: Duration, day: Int, hasHosts: Bool) -> Need {
    guard isRead else { return .read }
    if let pausedUntil, now < pausedUntil { return .nothing }
    if isDaily { return self.day == day ? .nothing : hasHosts ? .refresh : .wait }
    guard let expiry else { return hasHosts ? .refresh : .wait }
    guard now >= expiry.at else { return .nothing }
    return now < expiry.at + expiry.lifetime ? .refresh : .wait
  }

  /// The list on disk was read.
  mutating func read(day: Int?) {
    isRead = true
    if let day { self.day = day }
  }

  /// The source has given a list.
  mutating func listed(now: Duration, day: Int, lifetime: Duration) {
    self.day = day
    pausedUntil = nil
    // Not asked for each load, whatever the source says.
    let lifetime = max(lifetime, .seconds(1))
    expiry = (now + lifetime, lifetime)
  }

  mutating func failed(now: Duration) { pausedUntil = now + Self.pause }
}
