import APIKit
import Foundation
import Observation

/// The list of all homes, and in its place what a search has found.
@MainActor @Observable final class HomeList {
  /// What the user has typed; a pause in typing sends it.
  var text = "" {
    didSet { search(insteadOf: oldValue) }
  }

  private let all: HomePages
  private let found: HomePages

  init(_ service: HomesService, searchDelay: Duration) {
    all = HomePages(HomeListManager(service))
    found = HomePages(HomeListManager(service, takeoffPolicy: .debounce(searchDelay)))
  }

  /// The list of all homes keeps its rows while a search is shown.
  var shown: HomePages { Self.words(of: text).isEmpty ? all : found }

  private func search(insteadOf old: String) {
    let words = Self.words(of: text)
    guard words != Self.words(of: old) else { return }
    if words.isEmpty { found.disappear() } else { found.start(["q": words]) }
  }

  private static func words(of text: String) -> String { text.trimmingCharacters(in: .whitespaces) }
}
