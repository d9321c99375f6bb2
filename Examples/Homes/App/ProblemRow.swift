import Foundation
import SwiftUI

/// Says what has failed, and tries again.
struct ProblemRow: View {
  let problem: String
  let retry: @MainActor () -> Void

  var body: some View {
    VStack(alignment: .leading) {
      Text(problem).foregroundStyle(.secondary)
      Button("Try again", action: retry)
    }
  }
}

extension FormatStyle where Self == IntegerFormatStyle<Int>.Currency {
  /// Whole dollars.
  static var dollars: Self { IntegerFormatStyle<Int>.Currency(code: "USD").precision(.fractionLength(0)) }
}
