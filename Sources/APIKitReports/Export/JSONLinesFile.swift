public import APIKit

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension RecordSink {
  /// A sink that appends each record to a file, one JSON object a line.
  ///
  /// Only one process may write to a file. A file that is moved or removed, e.g. by `logrotate`, is created
  /// again.
  ///
  /// - Parameters:
  ///   - file: The path. The file is created with mode 0600; its folder must exist.
  ///   - maximumBytes: When a line would make the file longer, the file becomes `FILE.1`, that one `FILE.2`, and so on.
  ///     The default is 10 MiB. While one of them cannot be moved such a line is counted as failed.
  ///   - files: The largest number of files, the current one included; the default is 5. The oldest is removed.
  public static func jsonLines(to file: String, maximumBytes: Int = 10 << 20, files: Int = 5) -> RecordSink {
    let lines = JSONLinesFile(path: file, maximumBytes: maximumBytes, files: max(1, files))
    return RecordSink("json-lines") { try lines.append($0.jsonLine) }
  }
}

/// A file of lines that makes room for itself. Used by one queue.
final class JSONLinesFile: Sendable {
  private let path: String
  private let maximumBytes: Int
  private let files: Int
  /// Opened at the first line; closed at a rotation.
  private let descriptor = Mutex<Int32>(-1)

  init(path: String, maximumBytes: Int, files: Int) {
    (self.path, self.maximumBytes, self.files) = (path, maximumBytes, files)
  }

  deinit { descriptor.withLock { if $0 >= 0 { close($0) } } }

  /// Appends a line, whole or not at all.
  func append(_ line: [UInt8]) throws {
    try descriptor.withLock { descriptor in
      if descriptor >= 0, !isStillThere(descriptor) {
        close(descriptor)
        descriptor = -1
      }
      if descriptor < 0 { try Self.open(path, &descriptor) }
      var size = try Self.size(descriptor)
      if size > 0, size + line.count > maximumBytes {
        close(descriptor)
        descriptor = -1
        try rotate()
        try Self.open(path, &descriptor)
        size = try Self.size(descriptor)
      }
      var rest = line[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          let fault = PrivateFile.Fault.system("write")
          // A piece of a line would spoil the next one.
          ftruncate(descriptor, off_t(size))
          throw fault
        }
      }
    }
  }

  /// Whether the path leads to the file that is open.
  private func isStillThere(_ descriptor: Int32) -> Bool {
    var (own, present) = (stat(), stat())
    return fstat(descriptor, &own) == 0 && stat(path, &present) == 0 && own.st_ino == present.st_ino
      && own.st_dev == present.st_dev
  }

  /// A file that cannot be moved stays, and so do those that would take its place: a line is refused rather than written
  /// beyond the bound.
  private func rotate() throws {
    guard files > 1 else {
      guard unlink(path) == 0 || errno == ENOENT else { throw PrivateFile.Fault.system("remove") }
      return
    }
    // From the first name that is free: there may be any number of files.
    var last = 1
    while last < files - 1, PrivateFile.exists("\(path).\(last)") { last += 1 }
    for number in stride(from: last, through: 1, by: -1) {
      let result = rename(number == 1 ? path : "\(path).\(number - 1)", "\(path).\(number)")
      guard result == 0 || errno == ENOENT else { throw PrivateFile.Fault.system("rename") }
    }
  }

  private static func open(_ path: String, _ descriptor: inout Int32) throws {
    // Without O_NONBLOCK the call would block on a FIFO until somebody reads from it.
    let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
    #if canImport(Darwin)
      descriptor = Darwin.open(path, flags, 0o600)
    #else
      descriptor = Glibc.open(path, flags, 0o600)
    #endif
    if descriptor < 0 { throw PrivateFile.Fault.system("open") }
    _ = fcntl(descriptor, F_SETFL, O_APPEND)
    endPiece(path, descriptor)
  }

  /// Ends the piece of a line that a process has left which ended while it wrote it: it would spoil the next line.
  private static func endPiece(_ path: String, _ descriptor: Int32) {
    #if canImport(Darwin)
      let reading = Darwin.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    #else
      let reading = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    #endif
    guard reading >= 0 else { return }
    defer { close(reading) }
    var (last, end) = (UInt8(ascii: "\n"), UInt8(ascii: "\n"))
    guard let size = try? size(reading), size > 0, pread(reading, &last, 1, off_t(size - 1)) == 1, last != end
    else { return }
    _ = write(descriptor, &end, 1)
  }

  private static func size(_ descriptor: Int32) throws -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw PrivateFile.Fault.system("look at") }
    return Int(status.st_size)
  }
}

extension FlightRecord {
  /// The record as one line of JSON, with its line end; safe to log. Times are in seconds.
  public var jsonLine: [UInt8] {
    var output: [UInt8] = [UInt8(ascii: "{")]
    func put(_ name: String, _ text: String) {
      RawWriter.append(name: name, to: &output)
      RawWriter.append(string: text.utf8, to: &output)
    }
    func put(_ name: String, _ number: Double) {
      RawWriter.append(name: name, to: &output)
      output += RawWriter.ecmaScript(number).utf8
    }
    put("start", ISO8601.text(secondsSince1970: secondsSince1970, milliseconds: .always) ?? "")
    put("flight", Double(flight.rawValue))
    put("manager", manager)
    put("service", service)
    put("method", method.rawValue)
    put("api", apiName)
    RawWriter.append(name: "parameters", to: &output)
    output.append(UInt8(ascii: "{"))
    for pair in parameters.masked.pairs { put(pair.name, pair.value.shownText) }
    output.append(UInt8(ascii: "}"))
    put("duration", duration / .seconds(1))
    put("attempts", Double(attempts))
    if let landing { put("landing", landing.description) }
    RawWriter.append(name: "events", to: &output)
    output.append(UInt8(ascii: "["))
    for entry in entries {
      RawWriter.separate(&output)
      output.append(UInt8(ascii: "{"))
      put("at", entry.at / .seconds(1))
      put("event", entry.event.description)
      output.append(UInt8(ascii: "}"))
    }
    output += "]}\n".utf8
    return output
  }
}
