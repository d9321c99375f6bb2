import APIGenerator
import Foundation

let output = CommandLineTool.run(
  Array(CommandLine.arguments.dropFirst()), in: FileManager.default.currentDirectoryPath)
try? FileHandle.standardOutput.write(contentsOf: Data(output.text.utf8))
try? FileHandle.standardError.write(contentsOf: Data(output.errors.utf8))
exit(output.status)
