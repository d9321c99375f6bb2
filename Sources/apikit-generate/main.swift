import APIGenerator
import Foundation

let output = CommandLineTool.run(
  Array(CommandLine.arguments.dropFirst()), in: FileManager.default.currentDirectoryPath)
FileHandle.standardOutput.write(Data(output.text.utf8))
FileHandle.standardError.write(Data(output.errors.utf8))
exit(output.status)
