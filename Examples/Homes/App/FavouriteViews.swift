import SwiftUI

/// Shows in a row whether a home is a favourite, and whether the server knows.
struct FavouriteMark: View {
  let home: Home
  let favourites: Favourites

  var body: some View {
    HStack {
      if let change = favourites.changes[home.id] {
        Image(systemName: change.isRefused ? "exclamationmark.triangle" : "clock")
          .foregroundStyle(.secondary)
      }
      if favourites.isFavourite(home) { Image(systemName: "heart.fill").foregroundStyle(.red) }
    }
  }
}

/// Makes a home a favourite, and says what has become of the change.
struct FavouriteSection: View {
  let home: Home
  let favourites: Favourites
  let isSignedIn: Bool

  var body: some View {
    Section("Favourite") {
      let change = favourites.changes[home.id]
      Button(
        favourites.isFavourite(home) ? "Remove from favourites" : "Add to favourites",
        systemImage: favourites.isFavourite(home) ? "heart.fill" : "heart"
      ) {
        favourites.toggle(home)
      }
      .disabled(!isSignedIn || change?.isRefused == true)

      if !isSignedIn { Text("Sign in to keep favourites.").foregroundStyle(.secondary) }
      if let change {
        if change.isRefused {
          Text("The server did not take this change.")
          Button("Send it again") { Task { await favourites.retry(home) } }
          Button("Discard it", role: .destructive) { Task { await favourites.discard(home) } }
        } else {
          Label("Waits to be sent", systemImage: "clock").foregroundStyle(.secondary)
        }
      }
      if let problem = favourites.problem { Text(problem).foregroundStyle(.red) }
    }
  }
}
