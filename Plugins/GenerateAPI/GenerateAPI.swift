import Foundation
import PackagePlugin

/// `swift package --allow-writing-to-package-directory generate-api …`: `apikit-generate` in the folder of the package.
@main struct GenerateAPI: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    try Self.run(context.tool(named: "apikit-generate"), in: context.package.directoryURL, arguments)
  }

  /// Runs the tool, which says itself what is wrong, and ends with its exit status.
  static func run(_ tool: PluginContext.Tool, in folder: URL, _ arguments: [String]) throws {
    var words = ArgumentExtractor(arguments)
    // Xcode names the targets that are chosen in its dialogue; the tool has no use for them.
    _ = words.extractOption(named: "target")
    let process = Process()
    process.executableURL = tool.url
    process.currentDirectoryURL = folder
    process.arguments = words.remainingArguments
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { exit(process.terminationStatus) }
  }
}
