/// Keeps the cookies that servers set, and gives those to send with a request.
///
/// In memory, and in a file where the jar has one: it is read at the first use, on the thread that uses the
/// jar, and written half a second after the first change since the last write, by ``flush()``, and when the
/// jar is released. Jars and processes may share a file: each writes its changes, one after the other, and
/// takes over at its writes what others have. Session cookies stay in memory. May be used from any thread.
/// - SeeAlso: <https://www.rfc-editor.org/rfc/rfc6265>
public final class CookieJar: Sendable {
  private let state: Mutex<JarState>
  /// The number of cookies, readable without the lock; -1 until the file was read.
  private let count: AtomicInt
  private let store: CookieStore?
  /// Finds the file where the jar was made without one.
  private let findStore: (@Sendable () -> CookieStore?)?
  private let foundStore = Mutex<CookieStore?>(nil)
  private let generations = AtomicInt()
  /// Held from taking the changes to the end of their write, so that no older state is written after a newer one.
  private let writing = Mutex(())
  /// Which servers may set cookies. The jars of ``HTTPClient/shared`` and ``HTTPClient/init(configuration:redirects:)`` have
  /// ``AcceptPolicy/always``.
  public let acceptPolicy: AcceptPolicy
  private let limits: Limits
  let isPublicSuffix: @Sendable (String) -> Bool
  private let now: @Sendable () -> Int64

  /// Makes a jar.
  ///
  /// - Parameters:
  ///   - store: The file that keeps cookies between runs; none by default.
  ///   - accept: Which servers may set cookies; those of every server by default.
  ///   - limits: The largest numbers of cookies.
  ///   - isPublicSuffix: Whether a domain is a public suffix, for which no cookie may be set. By default
  ///     ``publicSuffixSource`` decides.
  ///   - now: The time in seconds since 1970; the system's by default.
  public init(
    store: CookieStore? = nil, accept: AcceptPolicy = .always, limits: Limits = Limits(),
    isPublicSuffix: (@Sendable (String) -> Bool)? = nil, now: (@Sendable () -> Int64)? = nil
  ) {
    self.store = store
    findStore = nil
    acceptPolicy = accept
    self.limits = limits
    self.isPublicSuffix = isPublicSuffix ?? PublicSuffix.contains
    self.now = now ?? { Int64(WallClock.now) }
    state = Mutex(JarState())
    count = AtomicInt(store == nil ? 0 : -1)
  }

  /// Makes a jar that asks for its file at each use until it has one, as before a keychain is unlocked. What it was given
  /// until then goes into the file.
  init(finding store: @escaping @Sendable () -> CookieStore?) {
    self.store = nil
    findStore = store
    acceptPolicy = .always
    limits = Limits()
    isPublicSuffix = PublicSuffix.contains
    now = { Int64(WallClock.now) }
    state = Mutex(JarState())
    count = AtomicInt(-1)
  }

  deinit { try? flush() }

  /// The source of the public suffixes, unless a jar has a test of its own: `libpsl` and its version, or `built in`
  /// for single labels and the domains of the most common registries and hosts.
  ///
  /// On Linux libpsl is present if libcurl was built with it, as on Debian and Ubuntu; the system's copy of the list
  /// is read if it is newer than the library's. Apple systems offer applications no such list.
  /// - SeeAlso: <https://publicsuffix.org>
  public static var publicSuffixSource: String { PublicSuffix.source }

  // MARK: Requests and responses

  /// The value of the `Cookie` field for a request: longer paths first, then older cookies; nil for none.
  public func header(for url: HTTPURL) -> String? {
    let cookies = cookies(for: url)
    return cookies.isEmpty ? nil : cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
  }

  /// The value of the `Cookie` field for the request of a load. Throws ``APIError/Reason/signedOut`` where the load's
  /// cookies were removed after the generation in which it was called (nil: the present one).
  func header(for url: HTTPURL, since generation: Int?) throws(APIError) -> String? {
    let header = header(for: url)
    // Asked last: the cookies that were found may be those of another user.
    guard isSameUser(since: generation, host: url.host) else {
      throw .signedOut("the cookies of the user to whom the load belongs were removed")
    }
    return header
  }

  /// The cookies that would be sent with a request, in the order in which they are sent.
  public func cookies(for url: HTTPURL) -> [Cookie] {
    guard count.load() != 0 else { return [] }
    let time = now()
    return withLoaded(changes: false) { state in
      var found: [Kept] = []
      state.ticks += 1
      for domain in Self.domains(of: url.host) {
        guard let list = state.byDomain[domain] else { continue }
        for index in list.indices where list[index].cookie.matches(url, now: time) {
          found.append(list[index])
          state.byDomain[domain]?[index].used = state.ticks
        }
      }
      found.sort {
        let (left, right) = ($0.cookie.path.utf8.count, $1.cookie.path.utf8.count)
        return left != right ? left > right : $0.created < $1.created
      }
      return found.map(\.cookie)
    }
  }

  /// Keeps the cookies of the `Set-Cookie` fields of a response, as far as the policy accepts them. With a document, only
  /// those of its site: of the same host, or of hosts with the same registrable domain (the public suffix and one label
  /// more). Other schemes
  /// than `http` and `https` have none: an HTTP proxy responds for an `ftp:` URL, and does not speak for its host.
  public func store(_ headers: HTTPHeaders, from url: HTTPURL, document: HTTPURL? = nil) {
    store(headers, from: url, document: document, since: nil)
  }

  /// - Parameter generation: The one in which the load was called; nil for the present one. Its cookies are not kept where
  ///   all cookies were removed since.
  func store(_ headers: HTTPHeaders, from url: HTTPURL, document: HTTPURL?, since generation: Int?) {
    for field in headers.fields where HTTPHeaders.equal(field.name, "Set-Cookie") {
      guard url.scheme == "http" || url.scheme == "https", accepts(url.host) else { return }
      if let document, !isSameSite(url.host, document.host) { return }
      let cookie = Cookie(setCookie: field.value, from: url, now: now(), isPublicSuffix: isPublicSuffix)
      guard let cookie, !isShadowing(cookie, from: url) else { continue }
      set(cookie, generation)
    }
  }

  // MARK: The application's side

  /// All cookies that have not expired.
  public var cookies: [Cookie] {
    let time = now()
    return withLoaded(changes: false) { state in
      state.byDomain.values.joined().filter { !$0.cookie.isOver(time) }
        .sorted { $0.created < $1.created }.map(\.cookie)
    }
  }

  /// Adds a cookie, replacing the one of the same name, domain and path; an expired cookie removes it.
  public func set(_ cookie: Cookie) { set(cookie, nil) }

  /// - Parameter generation: The one in which the load was called that brings the cookie; nil for no load.
  private func set(_ cookie: Cookie, _ generation: Int?) {
    let time = now()
    withLoaded { state in
      // A load that was called before `removeAll()` brings cookies of the user before, even where the jar was empty.
      if let generation, generation != self.generation { return }
      state.ticks += 1
      let tick = state.ticks
      var list = state.byDomain[cookie.domain] ?? []
      let old = list.firstIndex { cookie.replaces($0.cookie) }
      // A replaced cookie keeps its place in the order (RFC 6265, 5.3, step 11).
      let created = old.map { list[$0].created } ?? tick
      if cookie.expires != nil, !cookie.isOver(time) {
        state.changes.set(cookie)
      } else if cookie.expires != nil || old.map({ list[$0].cookie.expires != nil }) ?? false {
        state.changes.remove(cookie)
      }
      if let old { list.remove(at: old) }
      if !cookie.isOver(time) {
        list.append(Kept(cookie: cookie, created: created, used: tick))
      }
      state.byDomain[cookie.domain] = list.isEmpty ? nil : list
      evict(&state, domain: cookie.domain, at: time)
    }
    writeLater()
  }

  /// Removes the cookies for which a closure returns true.
  public func remove(where isUnwanted: (Cookie) -> Bool) {
    // Asked without the lock: the closure may use the jar.
    let unwanted = withLoaded(changes: false) { $0.byDomain.values.joined().map(\.cookie) }
      .filter(isUnwanted)
    withLoaded { state in
      for cookie in unwanted {
        let list = state.byDomain[cookie.domain] ?? []
        // One that has changed meanwhile stays.
        guard list.first(where: { cookie.replaces($0.cookie) })?.cookie == cookie else { continue }
        state.remove(cookie)
      }
    }
    writeLater()
  }

  /// Removes every cookie, also those that other processes have written to the file. Call it when the user changes. Loads
  /// that were called while the jar had cookies for their host end with ``APIError/Reason/signedOut``.
  ///
  /// Returns once they are gone from the file. A file that cannot be written, e.g. on a full disk, is removed.
  public func removeAll() { try? forgetAll() }

  /// As ``removeAll()``; throws when the file can be neither written nor removed.
  package func forgetAll() throws(APIError) {
    withLoaded { state in
      let ended = generation
      state.ended[ended] = Set(state.byDomain.keys)
      state.ended[ended - Self.rememberedGenerations] = nil
      generations.store(ended + 1)
      UserChanges.note()
      state.byDomain = [:]
      state.changes.removeAll()
    }
    do throws(APIError) {
      try flush()
      file?.removeDrafts()
    } catch {
      try file?.remove()
    }
  }

  /// The number of generations whose domains are remembered; older loads count as those of another user.
  private static let rememberedGenerations = 16

  /// The number of calls of ``removeAll()``: a load belongs to the generation in which it is called.
  var generation: Int { generations.load() }

  /// Whether a load to a host that was called in this generation still has the cookies that it was called with: none that
  /// would go there were removed by ``removeAll()``. A cookie that a server replaces changes nothing.
  func isSameUser(since: Int?, host: @autoclosure () -> String?) -> Bool {
    guard let since, since != generation else { return true }
    let host = host()
    return state.withLock { state in
      (since..<generation).allSatisfy { one in
        guard let host, let domains = state.ended[one] else { return false }
        return !domains.contains { Cookie.domain($0, matches: host) }
      }
    }
  }

  /// Removes the session cookies, which otherwise stay until the process ends.
  public func endSession() { remove { $0.expires == nil } }

  /// Writes changes to the file, if there is one, before it returns.
  ///
  /// Throws ``APIError/Reason/fileFailed`` when the file cannot be written; the cookies stay in memory
  /// then.
  public func flush() throws(APIError) {
    guard let file else { return }
    try writing.withLock { _ throws(APIError) in try write(to: file) }
  }

  private func write(to file: CookieStore) throws(APIError) {
    let time = now()
    let (changes, own, hadFile) = state.withLock { state in
      defer { state.changes = CookieChanges() }
      state.isWriteDue = false
      return (state.changes, state.lasting, state.hasSeenFile)
    }
    guard !changes.isEmpty else { return }
    do throws(APIError) {
      // Where there is no file that can be read, everything that is known is written.
      let written = try file.update { found in
        // Another jar has removed all cookies, and could not write an empty file: it removed the file.
        let isRemoved = hadFile && found == nil && !PrivateFile.exists(file.path)
        return changes.applied(to: found ?? (isRemoved ? [] : own)).filter { !$0.isOver(time) }
      }
      state.withLock { state in
        state.hasSeenFile = true
        state.takeOver(state.changes.applied(to: written))
        count.store(state.number)
      }
    } catch {
      state.withLock { $0.changes.putBack(changes) }
      throw error
    }
  }

  // MARK: Insides

  /// All cookies of a host, whatever their paths, by which it can tell who sends a request; nil for none.
  func sender(to host: () -> String?) -> String? {
    guard count.load() != 0, let host = host() else { return nil }
    let texts = senders(to: host)
    return texts.isEmpty ? nil : texts.sorted().joined(separator: "\n")
  }

  /// The same cookies one by one.
  func senders(to host: String) -> [String] {
    let time = now()
    let found = withLoaded(changes: false) { state in
      Self.domains(of: host).flatMap { state.byDomain[$0] ?? [] }.map(\.cookie)
    }
    return found.filter {
      !$0.isOver(time) && ($0.isHostOnly ? $0.domain == host : Cookie.domain($0.domain, matches: host))
    }
    .map { "\($0.domain)\($0.path) \($0.name)=\($0.value)" }
  }

  /// A host, then each domain above it: a.b.c, b.c, c. A jar is not searched: it may have cookies of thousands of sites.
  private static func domains(of host: String) -> some Sequence<String> {
    sequence(first: host[...]) { domain in
      domain.utf8.firstIndex(of: UInt8(ascii: ".")).map { domain[domain.index(after: $0)...] }
    }.lazy.map { String($0) }
  }

  /// Whether cookies that are not session cookies are kept in a file.
  var isOnDisk: Bool { file != nil }

  private var file: CookieStore? {
    guard let findStore else { return store }
    if let found = foundStore.withLock({ $0 }) { return found }
    let found = findStore()
    if let found { foundStore.withLock { $0 = found } }
    return found
  }

  /// Whether an unencrypted connection sets a cookie in the place of one that is sent over TLS only (RFC
  /// 6265bis, 5.7).
  private func isShadowing(_ cookie: Cookie, from url: HTTPURL) -> Bool {
    guard url.scheme != "https", count.load() != 0 else { return false }
    let time = now()
    return withLoaded(changes: false) { state in
      state.byDomain.values.joined().contains { kept in
        let old = kept.cookie
        return old.isSecure && old.name == cookie.name && !old.isOver(time)
          && (Cookie.domain(old.domain, matches: cookie.domain)
            || Cookie.domain(cookie.domain, matches: old.domain))
          && Cookie.path(old.path, matches: cookie.path)
      }
    }
  }

  private func evict(_ state: inout JarState, domain: String, at time: Int64) {
    let most = max(0, limits.perDomain)
    if let list = state.byDomain[domain], list.count > most {
      var rest = list.filter { !$0.cookie.isOver(time) }
      rest.sort { $0.used < $1.used }
      for kept in rest.dropLast(most) { state.forget(kept.cookie) }
      state.byDomain[domain] = Array(rest.suffix(most))
    }
    var total = state.number
    while total > limits.total, let oldest = state.byDomain.values.joined().min(by: { $0.used < $1.used }) {
      state.remove(oldest.cookie)
      total -= 1
    }
  }

  /// Runs a closure on the state after the file was read, and updates ``count``.
  private func withLoaded<Value>(changes: Bool = true, _ work: (inout JarState) -> Value) -> Value {
    let file = file
    return state.withLock { state in
      let isFirst = !state.isLoaded && (file != nil || findStore == nil)
      if isFirst {
        state.isLoaded = true
        if let file {
          state.hasSeenFile = PrivateFile.exists(file.path)
          state.takeOver(state.changes.applied(to: file.load()))
        }
      }
      defer {
        if state.isLoaded, changes || isFirst {
          count.store(state.number)
        }
      }
      return work(&state)
    }
  }

  /// Writes half a second after the first change, so that many responses cause one write.
  private func writeLater() {
    guard file != nil else { return }
    let isNew = state.withLock { state in
      guard !state.changes.isEmpty, !state.isWriteDue else { return false }
      state.isWriteDue = true
      return true
    }
    guard isNew else { return }
    Task.detached(priority: .utility) { [weak self] in
      try? await Task.sleep(for: .milliseconds(500))
      try? self?.flush()
    }
  }
}
