#if canImport(XcodeProjectPlugin)
  import PackagePlugin
  import XcodeProjectPlugin

  /// The same in a project of Xcode: paths are relative to the project's folder.
  extension GenerateAPI: XcodeCommandPlugin {
    func performCommand(context: XcodePluginContext, arguments: [String]) throws {
      try Self.run(context.tool(named: "apikit-generate"), in: context.xcodeProject.directoryURL, arguments)
    }
  }
#endif
