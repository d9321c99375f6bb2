import APIKit
import APIKitImages
import SwiftUI

/// The first screen: all homes or those that a search has found, and the way to the account.
struct HomeListView: View {
  let model: HomesModel
  @State private var showsAccount = false

  var body: some View {
    @Bindable var list = model.list
    NavigationStack {
      HomeRows(pages: list.shown, model: model)
        .navigationTitle("Homes")
        .searchable(text: $list.text, prompt: "City, ZIP code or kind")
        .navigationDestination(for: Home.self) { home in
          HomeView(model.detail(of: home), model: model)
        }
        .toolbar {
          Button("Account", systemImage: "person.crop.circle") { showsAccount = true }
        }
    }
    .sheet(isPresented: $showsAccount) { AccountView(model: model) }
    .task(id: model.account.user) { await model.favourites.load(of: model.account.user) }
  }
}

/// The rows of a list, with what there is to say where rows are missing.
private struct HomeRows: View {
  let pages: HomePages
  let model: HomesModel

  var body: some View {
    List {
      ForEach(pages.homes) { home in
        NavigationLink(value: home) { HomeRow(home: home, model: model) }
          .onAppear { pages.appeared(home) }
      }
      if pages.isLoading { ProgressView().frame(maxWidth: .infinity) }
      if let problem = pages.problem, !pages.homes.isEmpty {
        ProblemRow(problem: problem) { pages.retry() }
      }
    }
    .overlay {
      if pages.isEmpty {
        ContentUnavailableView("No homes found", systemImage: "magnifyingglass")
      } else if let problem = pages.problem, pages.homes.isEmpty {
        ContentUnavailableView {
          Label("No homes", systemImage: "wifi.slash")
        } description: {
          Text(problem)
        } actions: {
          Button("Try again") { pages.retry() }
        }
      }
    }
    .refreshable { await pages.refresh() }
    .onAppear { pages.appear() }
    .onDisappear { pages.disappear() }
  }
}

private struct HomeRow: View {
  let home: Home
  let model: HomesModel

  var body: some View {
    HStack {
      RemoteImage(for: ["id": home.id], by: model.pictures)
        .frame(width: 72, height: 48)
        .clipShape(RoundedRectangle(cornerRadius: 6))
      VStack(alignment: .leading) {
        Text(home.name)
        Text(home.price, format: .dollars).font(.subheadline).foregroundStyle(.secondary)
      }
      Spacer()
      FavouriteMark(home: home, favourites: model.favourites)
    }
  }
}
