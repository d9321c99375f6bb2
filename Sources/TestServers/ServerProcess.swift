import APIKit
public import Foundation

/// A server in a process of its own, which never outlives the process that started it.
///
/// A shell runs between the two processes. It has the reading end of a pipe whose writing end is here. When
/// ``stop()`` closes that end, or this process ends in any way, the shell reads the end of the pipe, stops
/// the server and removes its folder. (A parent-death signal is tied to the *thread* that started the
/// server, and dispatch threads end early.)
public final class ServerProcess: Sendable {
  /// The folder that holds the server's configuration, logs and temporary files; removed with the server.
  public let folder: URL

  private struct ServerProcessState {
    var shell: pid_t
    var hasEnded = false
    var lifeline: FileHandle?

    mutating func isRunning() -> Bool {
      if !hasEnded { hasEnded = waitpid(shell, nil, WNOHANG) != 0 }
      return !hasEnded
    }
  }
  private let state: Mutex<ServerProcessState>

  private static let script = #"""
    trap '' INT QUIT HUP TERM
    folder=$1; shift
    cd "$folder"
    exec 3<&0 >output.log 2>&1
    (trap - INT QUIT HUP TERM; exec "$@" </dev/null 3<&-) & server=$!
    (cat <&3 >/dev/null; kill -TERM $server; sleep 3; kill -KILL $server) 2>/dev/null & guard=$!
    wait $server; status=$?
    kill -KILL $guard 2>/dev/null
    [ $status = 0 ] || sleep 0.2
    rm -rf "$folder"
    exit $status
    """#

  /// Starts `command` in `folder`; its output goes to `output.log` there.
  ///
  /// The folder belongs to the process from here on, even when starting fails.
  /// - Throws: ``TestServerError`` when the shell cannot be started.
  public init(_ command: [String], folder: URL) throws {
    self.folder = folder
    let pipe = Pipe()
    let shell: pid_t
    do {
      shell = try spawn(
        ["/bin/sh", "-c", Self.script, "server", folder.path] + command,
        input: pipe.fileHandleForReading.fileDescriptor)
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    self.state = Mutex(ServerProcessState(shell: shell, lifeline: pipe.fileHandleForWriting))
  }

  /// Whether the server is running.
  public var isRunning: Bool {
    state.withLock { $0.isRunning() }
  }

  /// The last lines of the server's output, for the text of an error.
  public var logTail: String {
    let text = (try? String(contentsOf: folder.appendingPathComponent("output.log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(8).joined(separator: "\n")
  }

  /// Stops the server and returns when it has ended, after 5 seconds at most. Calling it again does
  /// nothing.
  public func stop() {
    state.withLock { state in
      guard let lifeline = state.lifeline else { return }
      state.lifeline = nil
      try? lifeline.close()
      let deadline = ContinuousClock.now + .seconds(5)
      while state.isRunning(), ContinuousClock.now < deadline { usleep(2_000) }
    }
  }

  /// Returns when each of `ports` accepts a connection.
  /// - Throws: ``TestServerError`` with the server's output when it ends, or when a port does not accept
  ///   one within `limit`.
  public func waitUntilListening(on ports: [UInt16], limit: Duration = .seconds(20)) throws {
    let deadline = ContinuousClock.now + limit
    var words = ""
    for port in ports {
      while !Loopback.accepts(port) {
        // Read before the check, because the folder is removed with the server.
        let tail = logTail
        if !tail.isEmpty { words = tail }
        guard isRunning else { throw TestServerError("the server ended at once:\n\(words)") }
        guard ContinuousClock.now < deadline else {
          stop()
          throw TestServerError("the server does not listen on port \(port) after \(limit):\n\(words)")
        }
        usleep(5_000)
      }
    }
  }

  deinit {
    // The shell does the rest; here its status is collected only if it has already ended.
    state.withLock { state in
      try? state.lifeline?.close()
      _ = state.isRunning()
    }
  }
}

/// Starts a program with `input` as its standard input and no other descriptor of this process.
///
/// `Process` is not used: on Linux the child inherits the signal mask of the calling thread, and a dispatch
/// thread blocks nearly all signals. A shell would not learn that its server has ended, and the server
/// could not be stopped by a signal.
private func spawn(_ command: [String], input: Int32) throws -> pid_t {
  #if !os(Linux) && !os(macOS)
    throw TestServerError(
      "an application has no child processes on this platform, and a simulator's has not either")
  #else
    try spawnChild(command, input: input)
  #endif
}

private func spawnChild(_ command: [String], input: Int32) throws -> pid_t {
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
  #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  posix_spawnattr_init(&attributes)
  defer {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }
  posix_spawn_file_actions_adddup2(&actions, input, 0)
  #if canImport(Darwin)
    let closing = POSIX_SPAWN_CLOEXEC_DEFAULT
    for output in 1...2 as ClosedRange<Int32> { posix_spawn_file_actions_adddup2(&actions, output, output) }
  #else
    let closing: Int32 = 0
    // `closefrom` is not available in Swift; closing a descriptor that is not open is allowed.
    for descriptor in 3..<1024 as Range<Int32> { posix_spawn_file_actions_addclose(&actions, descriptor) }
  #endif
  var none = sigset_t()
  var all = sigset_t()
  sigemptyset(&none)
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setflags(
    &attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | closing))

  var arguments = command.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var process: pid_t = 0
  let status = posix_spawn(&process, command[0], &actions, &attributes, &arguments, environ)
  guard status == 0 else {
    throw TestServerError("\(command[0]) could not be started: \(String(cString: strerror(status)))")
  }
  return process
}
