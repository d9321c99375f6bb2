import Foundation

var status = await DemoCLI.run(Array(CommandLine.arguments.dropFirst()), console: .standard)
if let why = Console.lostOutput {
  Console.standard.error("DemoCLI: the output cannot be written: \(why)")
  if status == .success { status = .failed }
}
exit(status.rawValue)
