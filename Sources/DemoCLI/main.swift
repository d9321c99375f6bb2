import Foundation

exit(await DemoCLI.run(Array(CommandLine.arguments.dropFirst()), console: .standard).rawValue)
