// The code of Docs/Apple.md that needs Apple's frameworks: `Scripts/apple --tests` compiles it, and SnippetTests compares it
// with the guide.
#if canImport(SwiftUI)
  import APIKit
  import APIKitImages
  import APIKitTesting
  import APIKitTransfers
  import Combine
  import Foundation
  import SwiftUI

  #if os(iOS)
    private final class PhotoUploads: BaseUploadManager, UploadManager {
      let service = Homes.shared, apiName = "photos"
    }

    // No `@main`: the tests have an entry of their own.
    private struct HomesApp: App {
      let transfers = launchedTransfers()

      var body: some Scene {
        WindowGroup { HomeListScreen() }
          .backgroundTask(.urlSession("apikit.transfers")) { await transfers.eventsHandled() }
      }
    }

    /// Registers the types, then starts: a launch in the background does the same.
    @MainActor private func launchedTransfers() -> TransferQueue {
      let transfers = TransferQueue()
      transfers.register(PhotoUploads.self) { PhotoUploads() }
      transfers.start()
      return transfers
    }

    extension TransferQueue {
      fileprivate func eventsHandled() async {
        await withCheckedContinuation { done in handleEvents { done.resume() } }
      }
    }
  #endif

  private final class Homes: APIService {
    static let shared = Homes()
    let name = "Homes", environments = ServiceEnvironments("https://homes.example.com/v1")
    let wire: WireOptions

    init(wire: WireOptions = WireOptions()) { self.wire = wire }
  }

  private final class HomeListManager: BaseAPIManager, APIManager {
    let service: Homes, apiName = "homes"
    let takeoffPolicy = TakeoffPolicy.cancelPrevious

    init(of service: Homes = .shared) {
      self.service = service
      super.init()
    }
  }

  private struct HomeRow: Identifiable, Sendable {
    var id: Int
    var title: String
    var photo: HTTPURL?
  }

  private struct HomeRows: Reformer {
    func reform(_ raw: RawData, from source: ReformSource) throws -> [HomeRow] {
      try raw.items.elements.map { home in
        HomeRow(
          id: try home.id.require(), title: try home.title.require(),
          photo: home.photo.string.flatMap { try? HTTPURL($0) })
      }
    }
  }

  private struct HomeListScreen: View {
    @State private var homes: HomeListManager
    @State private var city = ""

    init(_ homes: HomeListManager = HomeListManager()) { _homes = State(initialValue: homes) }

    var body: some View {
      List {
        if let error = homes.lastError {
          Text(verbatim: error.localizedDescription)
          Button("Try again") { homes.load(["city": city]) }
        }
        ForEach((try? homes.fetchData(with: HomeRows())) ?? []) { home in
          HStack {
            RemoteImage(home.photo).frame(width: 72, height: 48)
            Text(verbatim: home.title)
          }
        }
      }
      .overlay { if homes.isLoading { ProgressView() } }
      .searchable(text: $city)
      .refreshable { _ = try? await homes.response(["city": city]) }
      .task(id: city) { homes.load(["city": city]) }
    }
  }

  @MainActor private final class HomeListModel: ObservableObject, APIManagerDelegate {
    @Published private(set) var rows: [HomeRow] = []
    @Published private(set) var error: APIError?
    let homes = HomeListManager()

    init() { homes.delegate = self }

    func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
      do throws(APIError) {
        rows = try homes.fetchData(with: HomeRows())
        error = nil
      } catch { self.error = error }
    }

    func manager(_ manager: BaseAPIManager, didFailWith error: APIError) { self.error = error }
  }

  private struct HomeListPreviews: PreviewProvider {
    static var previews: some View {
      let stub = StubTransport(.json(#"{"items": [{"id": 7, "title": "A house by the lake"}]}"#))
      HomeListScreen(HomeListManager(of: Homes(wire: WireOptions(client: HTTPClient(transport: stub)))))
    }
  }
#endif
