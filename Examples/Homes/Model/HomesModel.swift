import APIKit
import APIKitOAuth
import APIKitImages
import APIKitTransfers

/// What the screens share, made once at launch.
@MainActor final class HomesModel {
  /// What the application stands on; a test replaces parts of it.
  struct Configuration {
    let server: HTTPURL
    var client = HTTPClient.shared
    var credentials: any CredentialStore = MemoryCredentialStore()
    var network = NetworkMonitor.shared
    var retryPolicy = RetryPolicy.standard
    /// How long typing pauses before a search is sent.
    var searchDelay = Duration.milliseconds(300)
    /// Where changes and uploads are kept; nil is the application's own folder.
    var folder: String?
  }

  let account: Account
  let list: HomeList
  let favourites: Favourites
  let pictures: ImageLoader
  private let service: HomesService
  let outbox: Outbox
  private let uploads: TusOptions

  init(_ configuration: Configuration) {
    let oauth = OAuthClient(.init(server: configuration.server), client: configuration.client)
    let authenticator = oauth.authenticator(store: configuration.credentials)
    let service = HomesService(configuration, authenticator: authenticator)
    var kept = OutboxConfiguration(folder: configuration.folder.map { "\($0)/outbox" })
    kept.network = configuration.network
    let outbox = Outbox(kept)
    var uploads = TusOptions()
    uploads.journalFolder = configuration.folder.map { "\($0)/uploads" }
    let userData = UserData(
      of: [service], outboxes: [outbox], uploads: [uploads], folder: configuration.folder)

    (self.service, self.outbox, self.uploads) = (service, outbox, uploads)
    account = Account(service, authenticator, oauth, userData)
    list = HomeList(service, searchDelay: configuration.searchDelay)
    favourites = Favourites(service, outbox)
    pictures = ImageLoader(over: PictureManager(service))
  }

  /// Sends what the outbox has, and follows who is signed in, until its task is cancelled.
  func run() async {
    outbox.start()
    await account.follow()
  }

  /// The screen of one home.
  func detail(of home: Home) -> HomeDetail {
    HomeDetail(home, HomeManager(service), PhotoManager(service, options: uploads, of: home))
  }
}

extension OAuthConfiguration {
  /// The authorization server of the demo, which is the server itself.
  fileprivate init(server: HTTPURL) {
    // The origin of a URL with a path behind it is a URL.
    func endpoint(_ name: String) -> HTTPURL { HTTPURL(stringLiteral: "\(server.origin)/oauth/\(name)") }
    self.init(
      clientID: "demo", authorizationEndpoint: endpoint("authorize"), tokenEndpoint: endpoint("token"),
      scopes: ["homes"])
    revocationEndpoint = endpoint("revoke")
    issuer = server.origin + "/"
  }
}
