/// What the run could not do as the document says, for the user to read.
struct Report {
  static let fileName = "REPORT.md"

  let file: String
  let operations: Int
  let kept: Int
  let models: Int
  let notes: [Note]

  var text: String {
    let skipped = notes.filter(\.isSkip).sorted()
    let others = notes.filter { !$0.isSkip }.sorted()
    var lines = [
      "# What was generated", "",
      "From \(SafeText.code(file)): \(operations) of \(kept) operations, \(models) models. Written by apikit-generate.",
      "",
    ]
    if notes.isEmpty { lines += ["Nothing was left out.", ""] }
    func list(_ title: String, _ notes: [Note]) {
      guard !notes.isEmpty else { return }
      lines += ["## \(title)", ""]
      for note in notes {
        lines.append(
          "- \(SafeText.code(note.pointer)): \(SafeText.markdown(note.reason)); \(SafeText.line(note.advice, limit: 400))"
        )
      }
      lines.append("")
    }
    list("Left out", skipped)
    list("Written otherwise", others)
    return lines.joined(separator: "\n")
  }
}
