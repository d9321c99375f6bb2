/// Gives the application's answers to authentication challenges, and remembers earlier answers.
///
/// Give it to a session (``TransportConfiguration/challenges``) or to one exchange (``HTTPExchange/challenges``), which
/// takes precedence. No transport waits on its thread for the answer: an attempt ends at the challenge, the handler is
/// asked, and another attempt is made.
///
/// ```swift
/// let handler = ChallengeHandler { challenge in
///   guard case .serverTrust(let chain, let fault?) = challenge.kind else { return .default }
///   return await panel.asksWhetherToTrust(chain, fault) ? .use(.trust) : .reject
/// }
/// ```
///
/// It is asked once for a server (host, port and chain), for a client certificate (host and port) and for a login (its
/// ``ProtectionSpace``, and again when the login is refused); loads that meet the same challenge meanwhile wait for the
/// same answer, and use a login while it is being tried. Answers apply to this handler alone: a connection that was opened
/// on its answer serves no load with another handler or without one. ``forget()`` forgets all of them. In a test, call
/// ``decide(_:)`` with a challenge of your own.
///
/// Isolation: the closure runs in a task of its own, on no transport's thread; it may wait for the user, and not for a load
/// that meets the same challenge or for `finish()` of the transport, which wait for it. It is cancelled when no load waits
/// for it any more.
public final class ChallengeHandler: Sendable {
  /// The application is asked once for each.
  enum Question: Hashable {
    /// The digest is of the chain.
    case server(ProtectionSpace, digest: [UInt8])
    case client(ProtectionSpace)
    case login(ProtectionSpace, refused: HTTPLogin?)
  }

  private struct Known {
    var space: ProtectionSpace
    var login: HTTPLogin
    /// The folder of the path that was asked (RFC 7617, 2.2); empty for a proxy.
    var folder: String
  }

  private struct Trial {
    var login: HTTPLogin
    var isStored: Bool
  }

  private struct ChallengeHandlerState {
    var mark = ChallengeHandler.nextMark()
    var answers: [Question: ChallengeAnswer] = [:]
    var logins: [ProtectionSpace: [Known]] = [:]
    /// Logins that were said and neither accepted nor refused yet: a load that meets the challenge meanwhile uses them.
    var onTrial: [ProtectionSpace: Trial] = [:]

    /// The login that was accepted in a space; of a proxy in any realm, when the space names none.
    func login(in space: ProtectionSpace) -> HTTPLogin? {
      logins[space.withoutRealm]?.last { $0.space == space || space.isProxy && space.realm.isEmpty }?.login
    }

    /// The answer to a question that needs not be put.
    func word(on question: Question) -> ChallengeAnswer? {
      guard case .login(let space, let refused) = question else { return answers[question] }
      let known = login(in: space).map { Trial(login: $0, isStored: false) } ?? onTrial[space]
      guard let known, refused.map(known.login.isSame) != true else { return nil }
      return .use(.login(known.login, isStored: known.isStored))
    }

    /// Keeps an answer, unless all was forgotten since.
    mutating func keep(_ answer: ChallengeAnswer, to question: Question, since mark: Int) {
      guard mark == self.mark else { return }
      switch (question, answer) {
      // A cancelled load says nothing about the next.
      case (_, .cancel): break
      case (.login(let space, _), .use(.login(let login, let isStored))):
        if onTrial.count >= ChallengeHandler.mostAnswers { onTrial = [:] }
        onTrial[space] = Trial(login: login, isStored: isStored)
      case (.login, _): break
      default:
        if answers.count >= ChallengeHandler.mostAnswers { answers = [:] }
        answers[question] = answer
      }
    }
  }

  private let state = Mutex(ChallengeHandlerState())
  private let asking = SingleFlight<Question, ChallengeAnswer>()
  private let answer: @Sendable (AuthenticationChallenge) async -> ChallengeAnswer
  private let loginNotStored: @Sendable (APIError) -> Void

  /// How many loads wait for a word.
  var waiterCount: Int { asking.waiterCount }

  /// How many words are kept; with more, all are asked for anew.
  private static let mostAnswers = 512
  private static let marks = AtomicInt(1)

  private static func nextMark() -> Int { marks.add(1) }

  /// Makes a handler.
  ///
  /// - Parameters:
  ///   - loginNotStored: Called when an accepted login cannot be stored; the load lands all the same.
  ///   - answer: Answers a challenge.
  public init(
    loginNotStored: @escaping @Sendable (APIError) -> Void = { _ in },
    _ answer: @escaping @Sendable (AuthenticationChallenge) async -> ChallengeAnswer
  ) {
    self.answer = answer
    self.loginNotStored = loginNotStored
  }

  /// The answer of the closure to a challenge, without the handler's memory.
  public func decide(_ challenge: AuthenticationChallenge) async -> ChallengeAnswer {
    await answer(challenge)
  }

  /// Forgets every answer: servers, certificates and logins are asked about again, and connections that were opened on
  /// an answer of this handler serve no further request. Stored logins stay in their store.
  public func forget() {
    state.withLock { state in
      state.mark = Self.nextMark()
      state.answers = [:]
      state.logins = [:]
      state.onTrial = [:]
    }
  }

  // MARK: For transports

  /// Marks the connections that were opened on the present words: above 1, different for every handler and after
  /// ``forget()``.
  var mark: Int { state.withLock { $0.mark } }

  /// The answer that was given already.
  func word(on question: Question) -> ChallengeAnswer? { state.withLock { $0.word(on: question) } }

  /// Takes back one word.
  func forget(_ question: Question) { state.withLock { $0.answers[question] = nil } }

  /// The word on a question, said already or now.
  ///
  /// Throws ``APIError/Reason/cancelled`` when the task is cancelled, and ``APIError/Reason/totalTimeout`` after `limit`.
  func word(
    on question: Question, _ challenge: AuthenticationChallenge, within limit: Duration? = nil
  ) async throws(APIError) -> ChallengeAnswer {
    guard !Task.isCancelled else { throw APIError(.transport, .cancelled) }
    if let known = word(on: question) { return known }
    let wait = { @Sendable () async throws(APIError) -> ChallengeAnswer in
      let answer = await self.asking.value(question) { await self.ask(question, challenge) }
      guard let answer else { throw APIError(.transport, .cancelled) }
      return answer
    }
    guard let limit else { return try await wait() }
    do throws(APIError) { return try await TimeLimit.run(limit, by: SystemTime(), wait) } catch {
      guard error.reason == .deadlineExceeded else { throw error }
      throw APIError(
        .transport, .totalTimeout,
        "not finished after \(limit.shortText): the application has not answered \(challenge)")
    }
  }

  private func ask(_ question: Question, _ challenge: AuthenticationChallenge) async -> ChallengeAnswer {
    let (known, mark) = state.withLock { ($0.word(on: question), $0.mark) }
    // The answer may have been given since the load looked.
    if let known { return known }
    let answer = await answer(challenge)
    // Where no load waits for it any more, the question may have been put again.
    if !Task.isCancelled { state.withLock { $0.keep(answer, to: question, since: mark) } }
    return answer
  }

  // MARK: Logins

  /// The login that was accepted for a URL's origin, at its path or above.
  func login(for url: HTTPURL) -> HTTPLogin? {
    let path = url.path
    return state.withLock { state in
      guard !state.logins.isEmpty else { return nil }
      return state.logins[ProtectionSpace(url)]?.filter { path.hasPrefix($0.folder) }
        .max { $0.folder.utf8.count < $1.folder.utf8.count }?.login
    }
  }

  /// The login that was accepted in a space; of a proxy in any realm, when the space names none.
  func login(in space: ProtectionSpace) -> HTTPLogin? { state.withLock { $0.login(in: space) } }

  /// Keeps an accepted login.
  func accepted(_ login: HTTPLogin, in space: ProtectionSpace, for url: HTTPURL) {
    let folder =
      space.isProxy ? "" : String(url.path[...(url.path.lastIndex(of: "/") ?? url.path.startIndex)])
    state.withLock { state in
      if state.onTrial[space]?.login.isSame(as: login) == true { state.onTrial[space] = nil }
      var known = state.logins[space.withoutRealm] ?? []
      // A folder covers the folders below it.
      known.removeAll { $0.space == space && ($0.login != login || $0.folder.hasPrefix(folder)) }
      if !known.contains(where: { $0.space == space && folder.hasPrefix($0.folder) }) {
        known.append(Known(space: space, login: login, folder: folder))
      }
      state.logins[space.withoutRealm] = Array(known.suffix(32))
    }
  }

  /// Stores an accepted login, which may take a file or the system's keychain.
  func store(_ login: HTTPLogin, in space: ProtectionSpace, _ logins: any LoginStore) async {
    do throws(APIError) {
      try await BlockingWork.run { () throws(APIError) in try logins.store(login, in: space) }
    } catch { loginNotStored(error) }
  }

  /// Drops a login that was refused.
  func refused(_ login: HTTPLogin, in space: ProtectionSpace) {
    state.withLock { state in
      if state.onTrial[space]?.login.isSame(as: login) == true { state.onTrial[space] = nil }
      state.logins[space.withoutRealm]?.removeAll { $0.space == space && $0.login == login }
    }
  }
}

/// The underlying error of an attempt that ended at a challenge.
enum RaisedChallenge: Error {
  case server(chain: [[UInt8]], fault: APIError?)
  case client(authorities: [[UInt8]])
  /// A proxy refuses a tunnel without a login.
  case proxy(HTTPLogin.Scheme)

  /// The error that ends the attempt. It reaches a caller only if the transport does not ask.
  var error: APIError {
    APIError(
      .transport, .challengeCancelled, "the attempt ended at an authentication challenge", underlying: self)
  }

  /// The question about a server.
  static func question(of chain: [[UInt8]], _ space: ProtectionSpace) -> ChallengeHandler.Question {
    .server(space, digest: Crypto.sha256(chain.flatMap { $0 }))
  }
}
