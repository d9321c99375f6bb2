import APIKitPaging

// The code of Docs/Screens.md: `Scripts/apple --tests` compiles it, and SnippetTests compares with the guide what needs
// Apple's frameworks.
#if canImport(SwiftUI)
  import APIKit
  import Foundation
  import SwiftUI

  #if os(iOS)
    import UIKit
  #endif

  private final class Homes: APIService {
    static let shared = Homes()
    let name = "Homes", environments = ServiceEnvironments("https://homes.example.com/v1")
  }

  private struct Home: Codable, Hashable, Identifiable, Sendable {
    var id: Int
    var title: String
    var city: String
  }

  /// GET homes?city=…&page=…, in pages.
  private final class HomeListManager: BaseAPIManager, PageableAPIManager {
    let service = Homes.shared, apiName = "homes"
    let paging = Paging(.pageNumber(), items: "items", id: "id", total: "total")
  }

  /// GET homes/7
  private final class HomeManager: BaseAPIManager, APIManager {
    typealias Output = Home
    let service = Homes.shared, apiName = "homes/{id}"
  }

  /// POST homes. A second tap while the first is on its way is refused.
  private final class NewHomeManager: BaseAPIManager, APIManager {
    typealias Output = Home
    let service = Homes.shared, apiName = "homes", method = HTTPMethod.post
    let takeoffPolicy = TakeoffPolicy.ignoreNew
  }

  // `@Observable` in the guide, which the oldest systems lack.
  @MainActor private final class HomeList: PagerDelegate {
    private(set) var homes: [Home] = []
    private(set) var problem: String?
    private(set) var isLoading = false
    private let pager = Pager(HomeListManager())

    init() { pager.delegate = self }

    /// The first page of a city; the page that is being loaded is cancelled.
    func show(_ city: String) {
      pager.loadFirst(["city": city])
      isLoading = pager.isLoading
    }

    /// Loads the next page when the user is near the end.
    func appeared(_ home: Home) {
      guard let row = homes.firstIndex(of: home) else { return }
      pager.itemShown(at: row)
      isLoading = pager.isLoading
    }

    func refresh() {
      pager.refresh()
      isLoading = pager.isLoading
    }

    func pager(_ pager: Pager, didSucceedWith page: Page) {
      homes = pager.items.compactMap { try? $0.decode(as: Home.self) }
      problem = nil
      isLoading = false
    }

    func pager(_ pager: Pager, didFailWith error: APIError) {
      problem = error.localizedDescription
      isLoading = false
    }

    func pager(_ pager: Pager, didCancelPage index: Int, because reason: CancellationReason) {
      isLoading = pager.isLoading
    }

    func pagerDidReset(_ pager: Pager) { homes = [] }
  }

  private struct HomeListView: View {
    @State private var list = HomeList()
    @State private var city = ""

    var body: some View {
      NavigationStack {
        List {
          if let problem = list.problem {
            Text(problem)
            Button("Try again") { list.show(city) }
          }
          ForEach(list.homes) { home in
            NavigationLink(value: home) { Text(home.title) }
              .onAppear { list.appeared(home) }
          }
          if list.isLoading { ProgressView() }
        }
        .navigationTitle("Homes")
        .navigationDestination(for: Home.self) { home in HomeView(id: home.id) }
        .searchable(text: $city, prompt: "City")
        .refreshable { await list.refresh() }
        .task(id: city) {
          try? await Task.sleep(for: .milliseconds(300))  // a pause in typing
          if !Task.isCancelled { list.show(city) }
        }
      }
    }
  }

  private struct HomeView: View {
    let id: Int
    @State private var manager = HomeManager()
    @State private var home: Home?
    @State private var problem: String?

    var body: some View {
      Form {
        if let home {
          LabeledContent("Title", value: home.title)
          LabeledContent("City", value: home.city)
        }
        if let problem {
          Text(problem)
          Button("Try again") { Task { await load() } }
        }
      }
      .overlay { if manager.isLoading { ProgressView() } }
      .task { await load() }
      .refreshable { await load() }
    }

    private func load() async {
      do throws(APIError) {
        home = try await manager.value(["id": id])
        problem = nil
      } catch {
        if !error.isCancellation { problem = error.localizedDescription }
      }
    }
  }

  private struct NewHomeView: View {
    @Environment(\.dismiss) private var dismiss
    @State private var manager = NewHomeManager()
    @State private var title = ""
    @State private var city = ""
    @State private var problems: [String: String] = [:]

    var body: some View {
      Form {
        TextField("Title", text: $title)
        if let problem = problems["title"] { Text(problem) }
        TextField("City", text: $city)
        if let problem = problems["city"] { Text(problem) }
        Button("Save") { Task { await save() } }
          .disabled(manager.isLoading)
        if let problem = problems["form"] { Text(problem) }
      }
    }

    private func save() async {
      do throws(APIError) {
        _ = try await manager.response(["title": title, "city": city])
        dismiss()
      } catch {
        problems = [:]
        for (field, texts) in error.raw.errors.members { problems[field] = texts[0].string }
        if problems.isEmpty { problems["form"] = error.localizedDescription }
      }
    }
  }

  #if os(iOS)
    private final class HomeListController: UITableViewController, UISearchResultsUpdating {
      private let pager = Pager(HomeListManager())
      private var city = ""

      override func viewDidLoad() {
        super.viewDidLoad()
        title = "Homes"
        tableView.register(UITableViewCell.self, forCellReuseIdentifier: "home")
        let refresh = UIRefreshControl()
        refresh.addAction(UIAction { [pager] _ in pager.refresh() }, for: .valueChanged)
        refreshControl = refresh
        let search = UISearchController(searchResultsController: nil)
        search.searchResultsUpdater = self
        search.obscuresBackgroundDuringPresentation = false
        navigationItem.searchController = search
        pager.delegate = self
        pager.loadFirst(["city": city])
      }

      func updateSearchResults(for searchController: UISearchController) {
        let text = searchController.searchBar.text ?? ""
        guard text != city else { return }
        city = text
        pager.loadFirst(["city": city])
      }

      override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        pager.items.count
      }

      override func tableView(
        _ tableView: UITableView, cellForRowAt indexPath: IndexPath
      ) -> UITableViewCell {
        let cell = tableView.dequeueReusableCell(withIdentifier: "home", for: indexPath)
        let home = pager.items[indexPath.row]
        var content = cell.defaultContentConfiguration()
        content.text = home.title.string
        content.secondaryText = home.city.string
        cell.contentConfiguration = content
        return cell
      }

      override func tableView(
        _ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath
      ) {
        pager.itemShown(at: indexPath.row)
      }

      override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
        guard let id = pager.items[indexPath.row].id.int else { return }
        navigationController?.pushViewController(HomeController(id: id), animated: true)
      }
    }

    extension HomeListController: PagerDelegate {
      func pager(_ pager: Pager, didSucceedWith page: Page) { show() }
      func pagerDidReset(_ pager: Pager) { show() }
      func pager(_ pager: Pager, didCancelPage index: Int, because reason: CancellationReason) {
        if !pager.isLoading { refreshControl?.endRefreshing() }
      }

      func pager(_ pager: Pager, didFailWith error: APIError) {
        show()
        let alert = UIAlertController(
          title: nil, message: error.localizedDescription, preferredStyle: .alert)
        alert.addAction(UIAlertAction(title: "OK", style: .default))
        present(alert, animated: true)
      }

      private func show() {
        refreshControl?.endRefreshing()
        tableView.reloadData()
      }
    }

    private final class HomeController: UIViewController, APIManagerDelegate {
      private let manager = HomeManager()
      private let id: Int
      private let label = UILabel()

      init(id: Int) {
        self.id = id
        super.init(nibName: nil, bundle: nil)
      }

      required init?(coder: NSCoder) { nil }

      override func viewDidLoad() {
        super.viewDidLoad()
        label.frame = view.bounds
        label.autoresizingMask = [.flexibleWidth, .flexibleHeight]
        label.numberOfLines = 0
        view.addSubview(label)
        manager.delegate = self
      }

      override func viewWillAppear(_ animated: Bool) {
        super.viewWillAppear(animated)
        manager.load(["id": id])
      }

      override func viewDidDisappear(_ animated: Bool) {
        super.viewDidDisappear(animated)
        manager.cancel()
      }

      func manager(_ manager: BaseAPIManager, didSucceedWith response: APIResponse) {
        label.text = "\(response.raw.title.string ?? ""), \(response.raw.city.string ?? "")"
      }

      func manager(_ manager: BaseAPIManager, didFailWith error: APIError) {
        label.text = error.localizedDescription
      }
    }
  #endif
#endif
