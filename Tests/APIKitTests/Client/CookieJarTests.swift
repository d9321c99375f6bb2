import APIKitTesting
import Foundation
@testable import TestSupport
import XCTest

@testable import APIKit

final class CookieJarTests: XCTestCase {
  private let now: Int64 = 1_800_000_000

  private func jar(
    accept: CookieJar.AcceptPolicy = .always, limits: CookieJar.Limits = .init(), store: CookieStore? = nil,
    from url: HTTPURL = "https://www.example.com/dir/page", _ fields: String...
  ) -> CookieJar {
    let jar = CookieJar(store: store, accept: accept, limits: limits, now: { [now] in now })
    for field in fields { jar.store(["Set-Cookie": field], from: url) }
    return jar
  }

  func testAHostOnlyCookieGoesToItsHostAlone() {
    let jar = jar("a=1; Path=/")
    XCTAssertEqual(jar.header(for: "https://www.example.com/"), "a=1")
    XCTAssertNil(jar.header(for: "https://example.com/"))
    XCTAssertNil(jar.header(for: "https://sub.www.example.com/"))
    XCTAssertNil(jar.header(for: "https://www.example.com.evil.test/"))
  }

  func testTheClosureThatChoosesWhatIsRemovedMayUseTheJar() {
    let jar = jar("a=1; Path=/", "b=2; Path=/", "c=3; Path=/")
    jar.remove { cookie in
      if cookie.name == "b" { jar.set(Cookie("b", "4", domain: cookie.domain)) }
      return jar.cookies.count == 3 && cookie.name != "c"
    }
    // One that has changed meanwhile is not the one that was chosen.
    XCTAssertEqual(jar.header(for: "https://www.example.com/"), "b=4; c=3")
  }

  func testTheFirstCookieOfALoadThatWasCalledBeforeARemovalIsNotKept() {
    let jar = jar()
    let before = jar.generation
    jar.removeAll()
    let url: HTTPURL = "https://www.example.com/"
    jar.store(["Set-Cookie": "user=ben; Path=/"], from: url, document: nil, since: before)
    XCTAssertEqual(jar.cookies, [])
    jar.store(["Set-Cookie": "user=ada; Path=/"], from: url, document: nil, since: jar.generation)
    XCTAssertEqual(jar.header(for: url), "user=ada")
  }

  func testNamesAndPathsAreToldApartByTheirBytes() throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    let jar = jar(
      "\(composed)=1; Path=/", "\(decomposed)=2; Path=/", "a=\u{338}3; Path=/", "b=4; Path=/\u{338}")
    XCTAssertEqual(jar.cookies.map(\.value), ["1", "2", "\u{338}3", "4"])
    XCTAssertEqual(jar.cookies.last?.path, "/\u{338}")
    var changes = CookieChanges()
    for cookie in jar.cookies { changes.set(cookie) }
    XCTAssertEqual(changes.applied(to: []).count, 4)
  }

  func testOnlyHTTPSetsCookies() {
    XCTAssertEqual(jar(from: "ftp://www.example.com/file", "a=1; Path=/").cookies, [])
    XCTAssertEqual(jar(from: "http://www.example.com/", "a=1; Path=/").cookies.count, 1)
  }

  func testADomainCookieGoesToTheNamesBelow() {
    let jar = jar("a=1; Path=/; Domain=.Example.COM")
    for host in ["example.com", "www.example.com", "a.b.example.com"] {
      XCTAssertEqual(
        jar.header(for: HTTPURL(scheme: "http", host: host, port: nil, path: "/", query: nil)), "a=1")
    }
    XCTAssertNil(jar.header(for: "https://badexample.com/"))
  }

  func testForeignDomainsAndPublicSuffixesAreRefused() {
    XCTAssertEqual(
      jar("a=1; Domain=other.com", "b=1; Domain=com", "c=1; Domain=sub.www.example.com").cookies, [])
    XCTAssertEqual(jar(from: "https://shop.co.uk/", "a=1; Domain=co.uk").cookies, [])
    let local = jar(from: "http://localhost/", "a=1; Domain=localhost")
    XCTAssertEqual(local.cookies.first?.isHostOnly, true)
    let address = jar(
      from: "http://127.0.0.1/", "a=1; Domain=127.0.0.1", "b=1; Domain=0.0.1", "c=1; Domain=1")
    XCTAssertEqual(address.cookies.map(\.description), ["a (127.0.0.1/)"])
    XCTAssertNil(address.header(for: "http://a.127.0.0.1.test/"))
  }

  func testADomainInAnySpellingIsOneDomain() {
    let jar = jar(from: "https://www.xn--bcher-kva.test/", "a=1; Path=/; Domain=Bücher.test")
    XCTAssertEqual(jar.header(for: "https://xn--bcher-kva.test/"), "a=1")
    let local = self.jar(accept: .firstParty(["0x7f.1"]), from: "http://127.1/", "a=1; Path=/")
    XCTAssertEqual(local.header(for: "http://2130706433/"), "a=1")
  }

  func testPathsMatchWholeSegments() {
    let jar = jar("a=1", "b=1; Path=/dir/", "c=1; Path=relative")
    XCTAssertEqual(jar.header(for: "https://www.example.com/dir/x"), "b=1; a=1; c=1")
    XCTAssertEqual(jar.header(for: "https://www.example.com/dir"), "a=1; c=1")
    XCTAssertNil(jar.header(for: "https://www.example.com/directory"))
  }

  func testLongerPathsGoFirstAndThenOlderCookies() {
    let jar = jar("old=1; Path=/", "deep=1; Path=/dir", "new=1; Path=/", "old=2; Path=/")
    XCTAssertEqual(jar.header(for: "https://www.example.com/dir"), "deep=1; old=2; new=1")
  }

  func testSecureCookiesTravelOverHTTPSAloneAndPlainServersCannotSetThem() {
    XCTAssertNil(jar("a=1; Secure; Path=/").header(for: "http://www.example.com/"))
    XCTAssertEqual(jar("a=1; Secure; Path=/; HttpOnly").cookies.map(\.isHTTPOnly), [true])
    XCTAssertEqual(
      jar(from: "http://www.example.com/", "a=1; Secure", "__Secure-b=1", "__Host-c=1").cookies, [])
    XCTAssertEqual(
      jar("__Host-a=1; Secure; Path=/", "__Host-b=1; Secure; Path=/; Domain=example.com").cookies.map(\.name),
      ["__Host-a"])
  }

  func testThePrefixesOfCookiesAreComparedWithoutCase() {
    for name in ["__secure-a", "__SECURE-a", "__Secure-a", "__Secure-\u{301}a"] {
      XCTAssertEqual(jar("\(name)=1").cookies, [], name)
      XCTAssertEqual(jar("\(name)=1; Secure").cookies.map(\.name), [name])
    }
    for name in ["__host-a", "__HoSt-a", "__Host-a"] {
      XCTAssertEqual(
        jar(
          "\(name)=1; Secure; Path=/; Domain=example.com", "\(name)=1; Secure; Path=/x", "\(name)=1; Path=/"
        ).cookies,
        [], name)
      XCTAssertEqual(jar("\(name)=1; Secure; Path=/").cookies.map(\.name), [name])
    }
  }

  func testAPlainServerPutsNothingInThePlaceOfASecureCookie() {
    let jar = jar("sid=true; Secure; Path=/", "open=1; Path=/")
    jar.store(
      ["Set-Cookie": "sid=evil; Path=/", "Set-Cookie": "open=2; Path=/"], from: "http://www.example.com/")
    jar.store(["Set-Cookie": "sid=evil; Path=/; Domain=example.com"], from: "http://sub.example.com/")
    jar.store(["Set-Cookie": "sid=evil; Path=/deep"], from: "http://www.example.com/deep/x")
    XCTAssertEqual(jar.header(for: "https://www.example.com/deep/x"), "sid=true; open=2")
    jar.store(["Set-Cookie": "sid=new; Path=/; Secure"], from: "https://www.example.com/")
    XCTAssertEqual(jar.header(for: "https://www.example.com/"), "sid=new; open=2")
  }

  func testMaxAgeGoesBeforeExpiresAndThePastRemoves() {
    let jar = jar(
      "a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT",
      "c=1; Max-Age=0", "d=1; Max-Age=99999999999999999999", "e=1", "e=; Max-Age=-1", "f=1; Max-Age=soon")
    XCTAssertEqual(jar.cookies.map(\.name), ["a", "b", "d", "f"])
    XCTAssertEqual(jar.cookies.first?.expires, now + 60)
    XCTAssertNil(jar.cookies.last?.expires ?? nil, "an unreadable age makes a session cookie")
  }

  func testACookieEndsWithItsTime() {
    let clock = ManualTime(now)
    let jar = CookieJar(now: { clock.value })
    jar.store(["Set-Cookie": "a=1; Max-Age=10; Path=/"], from: "https://x.test/")
    clock.value = now + 9
    XCTAssertEqual(jar.header(for: "https://x.test/"), "a=1")
    clock.value = now + 10
    XCTAssertNil(jar.header(for: "https://x.test/"))
    XCTAssertEqual(jar.cookies, [])
  }

  func testDatesAreReadInTheFormsServersWrite() {
    let expected: Int64 = 1_445_412_480
    for text in [
      "Wed, 21 Oct 2015 07:28:00 GMT", "Wednesday, 21-Oct-15 07:28:00 GMT", "Wed Oct 21 07:28:00 2015",
      "21 oct 2015 7:28:0", "Wed,21-OCT-2015;07:28:00",
    ] {
      XCTAssertEqual(CookieDate.parse(text), expected, text)
    }
    XCTAssertEqual(CookieDate.parse("Sun, 06 Nov 1994 08:49:37 GMT"), 784_111_777)
    XCTAssertEqual(CookieDate.parse("Thu, 29 Feb 2024 00:00:00 GMT"), 1_709_164_800)
    for text in [
      "", "tomorrow", "32 Jan 2020 00:00:00", "1 Jan 2020 24:00:00", "1 Jan 1600 00:00:00", "1 2020 0:0:0",
    ] {
      XCTAssertNil(CookieDate.parse(text), text)
    }
  }

  func testAttributesOfMoreThan1024BytesAreIgnored() {
    let most = "/" + String(repeating: "p", count: 1023)
    XCTAssertEqual(jar("a=1; Path=\(most)", "b=2; Path=\(most)p").cookies.map(\.path), [most, "/dir"])
    let date = String(repeating: "x", count: 1024) + " Sun, 06 Nov 2033 08:49:37 GMT"
    XCTAssertNil(jar("a=1; Expires=\(date)").cookies[0].expires)
  }

  func testDamagedFieldsAreIgnored() {
    XCTAssertEqual(
      jar("novalue", "=anonymous", "a=\u{1}", "big=" + String(repeating: "x", count: 5000), "").cookies, [])
    XCTAssertEqual(jar("a=\"b c\"=d ; Path=/").header(for: "https://www.example.com/"), "a=\"b c\"=d")
  }

  func testADocumentsSiteIsItsRegistrableDomain() throws {
    let pairs: [(host: String, document: String, isKept: Bool)] = [
      ("shop.example.com", "www.example.com", true), ("example.com", "www.example.com", true),
      ("example.com", "example.org", false), ("ads.test-a.co.uk", "www.test-a.co.uk", true),
      ("a.co.uk", "b.co.uk", false), ("co.uk", "a.co.uk", false), ("127.0.0.1", "127.0.0.1", true),
      ("10.0.0.1", "11.0.0.1", false), ("localhost", "localhost", true), ("localhost", "127.0.0.1", false),
    ]
    for (host, document, isKept) in pairs {
      let jar = CookieJar()
      jar.store(
        ["Set-Cookie": "a=1"], from: try HTTPURL("https://\(host)/"),
        document: try HTTPURL("https://\(document)/"))
      XCTAssertEqual(jar.cookies.count, isKept ? 1 : 0, "\(host) for \(document)")
    }
  }

  func testReadyMadeClientsSayWhoseCookiesTheyKeep() throws {
    XCTAssertEqual(HTTPClient.shared.cookies?.acceptPolicy, .always)
    XCTAssertEqual(try HTTPClient(configuration: .ephemeral).cookies?.acceptPolicy, .always)
    XCTAssertEqual(CookieJar(accept: .firstParty(["a.test"])).acceptPolicy, .firstParty(["a.test"]))
  }

  func testTheAcceptPolicyDecidesWhoseCookiesAreKept() {
    XCTAssertEqual(jar(accept: .never, "a=1").cookies, [])
    XCTAssertEqual(jar(accept: .firstParty(["Example.com"]), "a=1").cookies.count, 1)
    XCTAssertEqual(jar(accept: .firstParty(["example.org"]), "a=1").cookies, [])
  }

  func testBeyondTheLimitsTheLeastUsedGoes() {
    let jar = CookieJar(limits: .init(perDomain: 3, total: 4))
    let url: HTTPURL = "https://a.test/x/y"
    for name in ["a", "b", "c"] { jar.store(["Set-Cookie": "\(name)=1; Path=/\(name)"], from: url) }
    XCTAssertEqual(jar.header(for: "https://a.test/a"), "a=1")
    jar.store(["Set-Cookie": "d=1"], from: url)
    XCTAssertEqual(Set(jar.cookies.map(\.name)), ["a", "c", "d"])
    for host in ["b", "c"] {
      jar.store(
        ["Set-Cookie": "e=1"],
        from: HTTPURL(scheme: "https", host: host + ".test", port: nil, path: "/", query: nil))
    }
    XCTAssertEqual(jar.cookies.count, 4)
    XCTAssertFalse(jar.cookies.contains { $0.name == "c" })
  }

  func testLimitsBelowZeroKeepNothing() {
    // As they may come from a file of settings.
    XCTAssertEqual(jar(limits: .init(perDomain: -1, total: -2), "a=1", "b=2").cookies, [])
  }

  func testAFileKeepsLastingCookiesForItsOwnerAlone() throws {
    let folder = temporaryFolder()
    let store = try CookieStore(path: folder.appendingPathComponent("deep/cookies").path, key: .random())
    let first = jar(store: store, "a=1; Max-Age=60; Path=/", "session=1", "b=2; Max-Age=60; Secure; Path=/")
    try first.flush()
    let attributes = try FileManager.default.attributesOfItem(atPath: store.path)
    XCTAssertEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o600)
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "/deep"), ["cookies"])

    let second = jar(store: store)
    XCTAssertEqual(second.header(for: "https://www.example.com/"), "a=1; b=2")
    second.removeAll()
    try second.flush()
    XCTAssertEqual(jar(store: store).cookies, [])

    try Data("{damaged".utf8).write(to: URL(fileURLWithPath: store.path))
    XCTAssertEqual(jar(store: store).cookies, [])
  }

  func testJarsOfOneFileKeepOneAnothersCookies() throws {
    let folder = temporaryFolder()
    let store = try CookieStore(path: folder.path + "/cookies", key: .random())
    let (first, second) = (jar(store: store, "a=1; Max-Age=60"), jar(store: store, "b=1; Max-Age=60"))
    XCTAssertEqual([first.cookies.count, second.cookies.count], [1, 1])
    try first.flush()
    try second.flush()
    XCTAssertEqual(store.load().map(\.name), ["a", "b"])
    XCTAssertEqual(Set(second.cookies.map(\.name)), ["a", "b"], "a write brings what others have written")

    first.store(
      ["Set-Cookie": "c=1; Max-Age=60", "Set-Cookie": "a=; Max-Age=0"], from: "https://www.example.com/dir/x")
    second.store(
      ["Set-Cookie": "b=2; Max-Age=60", "Set-Cookie": "s=1"], from: "https://www.example.com/dir/x")
    try second.flush()
    try first.flush()
    XCTAssertEqual(store.load().map { "\($0.name)=\($0.value)" }.sorted(), ["b=2", "c=1"])
    XCTAssertEqual(Set(first.cookies.map(\.name)), ["b", "c"])

    first.removeAll()
    try first.flush()
    XCTAssertEqual(store.load(), [], "what others have written goes too")
    second.store(["Set-Cookie": "d=1; Max-Age=60"], from: "https://www.example.com/dir/x")
    try second.flush()
    XCTAssertEqual(store.load().map(\.name), ["d"])
    XCTAssertEqual(Set(second.cookies.map(\.name)), ["d", "s"], "session cookies are nobody else's")
  }

  func testCookiesWhoseFileAnotherJarHasRemovedDoNotComeBack() throws {
    let folder = temporaryFolder()
    let store = try CookieStore(path: folder.path + "/cookies", key: .random())
    try jar(store: store, "user=ann; Max-Age=60").flush()
    let second = jar(store: store)
    XCTAssertEqual(second.cookies.map(\.name), ["user"])
    // What `removeAll()` of another process does on a full disk.
    try store.remove()
    second.store(["Set-Cookie": "color=red; Max-Age=60"], from: "https://www.example.com/dir/x")
    try second.flush()
    XCTAssertEqual(store.load().map(\.name), ["color"])
    XCTAssertEqual(second.cookies.map(\.name), ["color"])
  }

  func testWhatWasRemovedNeverComesBackFromTheFile() async throws {
    let folder = temporaryFolder()
    let store = try CookieStore(path: folder.path + "/cookies", key: .random())
    let jar = jar(store: store)
    for round in 0..<200 {
      jar.store(["Set-Cookie": "sid=\(round); Max-Age=60; Path=/"], from: "https://www.example.com/")
      // A write of the cookie may be under way while it is removed.
      async let write: Void? = try? jar.flush()
      jar.removeAll()
      try jar.flush()
      await write
      XCTAssertEqual(store.load(), [], "round \(round)")
    }
  }

  func testCookiesThatCannotBeWrittenAreWrittenLater() throws {
    let file = try temporaryFile([])
    let store = try CookieStore(path: file + "/cookies", key: .random())
    let jar = jar(store: store, "a=1; Max-Age=60")
    XCTAssertThrowsError(try jar.flush()) { XCTAssertEqual(($0 as? APIError)?.reason, .fileFailed) }
    jar.store(["Set-Cookie": "b=1; Max-Age=60"], from: "https://www.example.com/dir/x")
    try FileManager.default.removeItem(atPath: file)
    try jar.flush()
    XCTAssertEqual(Set(store.load().map(\.name)), ["a", "b"])
  }

  func testManyWritersOfOneFileKeepOneAnothersCookies() throws {
    let folder = temporaryFolder()
    let store = try CookieStore(path: folder.path + "/cookies", key: .random())
    // Each has its own jar, as another process has.
    let jars = (0..<20).map { jar(store: store, "c\($0)=1; Max-Age=60; Path=/") }
    DispatchQueue.concurrentPerform(iterations: jars.count) { try? jars[$0].flush() }
    XCTAssertEqual(Set(store.load().map(\.name)), Set((0..<20).map { "c\($0)" }))
  }

  func testATrailingDotMakesNoOtherDomain() {
    XCTAssertEqual(jar(from: "https://www.example.com./", "a=1; Domain=com.").cookies, [])
  }

  func testPublicSuffixesAreThoseOfTheListThatIsNamed() throws {
    let uncommon = [
      ("https://shop.kawasaki.jp/", "kawasaki.jp"), ("https://a.b.ck/", "b.ck"),
      ("https://shop.co.at/", "co.at"),
    ]
    for (url, domain) in uncommon {
      let isKnown = CookieJar.publicSuffixSource.hasPrefix("libpsl ")
      let kept = jar(from: try HTTPURL(url), "a=1; Domain=\(domain)").cookies.count
      XCTAssertEqual(kept, isKnown ? 0 : 1, "\(domain) by \(CookieJar.publicSuffixSource)")
    }
    // An exception of the list: www.ck may have cookies for all below it.
    XCTAssertEqual(jar(from: "https://a.www.ck/", "a=1; Domain=www.ck").cookies.count, 1)
    XCTAssertTrue(PublicSuffix.isBuiltIn("co.uk"))
    #if os(Linux)
      XCTAssertNotEqual(CookieJar.publicSuffixSource, "built in", "libcurl brings libpsl along")
    #endif
  }

  func testAJarWritesItsFileWhenItGoes() throws {
    let folder = temporaryFolder()
    let store = try CookieStore(path: folder.path + "/cookies", key: .random())
    _ = jar(store: store, "a=1; Max-Age=60; Path=/")
    XCTAssertEqual(store.load().map(\.name), ["a"])
  }

  func testEndingTheSessionKeepsLastingCookies() {
    let jar = jar("a=1; Max-Age=60", "b=1")
    jar.endSession()
    XCTAssertEqual(jar.cookies.map(\.name), ["a"])
  }

  func testManyThreadsMayUseOneJar() async {
    let jar = CookieJar()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for turn in 0..<200 {
            jar.store(["Set-Cookie": "c\(number)=\(turn); Path=/"], from: "https://x.test/")
            _ = jar.header(for: "https://x.test/")
          }
        }
      }
    }
    XCTAssertEqual(Set(jar.cookies.map(\.value)), ["199"])
    XCTAssertEqual(jar.cookies.count, 8)
  }

  private final class ManualTime: Sendable {
    private let time: Mutex<Int64>
    init(_ time: Int64) { self.time = Mutex(time) }
    var value: Int64 {
      get { time.withLock { $0 } }
      set { time.withLock { $0 = newValue } }
    }
  }
}
