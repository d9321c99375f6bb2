import APIKit
import APIKitImages
import Foundation
import SwiftUI

/// The screen of one home.
struct HomeView: View {
  private let model: HomesModel
  @State private var detail: HomeDetail

  init(_ detail: HomeDetail, model: HomesModel) {
    self.model = model
    _detail = State(initialValue: detail)
  }

  var body: some View {
    let home = detail.home
    Form {
      RemoteImage(for: ["id": home.id], by: model.pictures)
        .aspectRatio(3 / 2, contentMode: .fit)
      Section("Home") {
        LabeledContent("Price") { Text(home.price, format: .dollars) }
        LabeledContent("Where", value: "\(home.city), \(home.zip)")
        LabeledContent("Bedrooms", value: home.beds.formatted())
        LabeledContent("Bathrooms", value: home.baths.formatted())
        LabeledContent("Area", value: "\(home.area.formatted()) sq ft")
        if let problem = detail.problem { ProblemRow(problem: problem) { Task { await detail.load() } } }
      }
      FavouriteSection(
        home: home, favourites: model.favourites, isSignedIn: model.account.user != nil)
      PhotoSection(upload: detail.upload)
    }
    .formStyle(.grouped)
    .navigationTitle(home.name)
    .task { await detail.load() }
    .refreshable { await detail.load() }
    .onDisappear { detail.upload.pause() }
  }
}
