import Foundation

// The number of a descriptor that the caller has closed would be that of the next socket or file, which would get what is
// printed. Such an input is empty, and such an output cannot be written.
for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDONLY) }

var status = await DemoCLI.run(Array(CommandLine.arguments.dropFirst()), console: .standard)
if let why = Console.lostOutput {
  Console.standard.error("DemoCLI: the output cannot be written: \(why)")
  if status == .success { status = .failed }
}
exit(status.rawValue)
