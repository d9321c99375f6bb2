#if os(Linux)
  import CAPIKit

  /// The header lines of one request in the form libcurl reads, in memory that is reused.
  ///
  /// libcurl only reads the list it is given, so the nodes need not be allocated by it: there are one
  /// buffer and one array of nodes instead of two allocations per line. Must not change until the transfer
  /// has ended.
  struct CurlHeaderLines: ~Copyable {
    private var text = UnsafeMutablePointer<CChar>.allocate(capacity: 1024)
    private var capacity = 1024
    private var used = 0
    private var starts: [Int] = []
    private var nodes = UnsafeMutablePointer<curl_slist>.allocate(capacity: 32)
    private var nodeCapacity = 32

    deinit {
      text.deallocate()
      nodes.deallocate()
    }

    /// Removes all lines.
    mutating func removeAll() {
      used = 0
      starts.removeAll(keepingCapacity: true)
    }

    /// Adds `name: value`. An empty value is written as `name;`, which makes libcurl send it; `name:` would
    /// remove the field.
    mutating func append(_ name: String, _ value: String) {
      starts.append(used)
      write(name)
      if value.isEmpty {
        write(";")
      } else {
        write(": ")
        write(value)
      }
      write(byte: 0)
    }

    /// Adds a line in libcurl's notation: `Expect:` keeps it from adding that field itself.
    mutating func append(line: StaticString) {
      starts.append(used)
      line.withUTF8Buffer { write(UnsafeRawBufferPointer($0)) }
      write(byte: 0)
    }

    /// The list, valid until the lines change.
    mutating func list() -> UnsafeMutableRawPointer? {
      guard !starts.isEmpty else { return nil }
      if nodeCapacity < starts.count {
        nodes.deallocate()
        nodeCapacity = starts.count * 2
        nodes = .allocate(capacity: nodeCapacity)
      }
      for (index, start) in starts.enumerated() {
        let next = index + 1 < starts.count ? nodes + index + 1 : nil
        (nodes + index).initialize(to: curl_slist(data: text + start, next: next))
      }
      return UnsafeMutableRawPointer(nodes)
    }

    private mutating func write(_ string: String) {
      var string = string
      string.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    private mutating func write(byte: UInt8) {
      withUnsafeBytes(of: byte) { write($0) }
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) {
      if used + bytes.count > capacity {
        let larger = max(capacity * 2, used + bytes.count)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: larger)
        copy.update(from: text, count: used)
        text.deallocate()
        text = copy
        capacity = larger
      }
      guard let base = bytes.baseAddress else { return }
      UnsafeMutableRawPointer(text + used).copyMemory(from: base, byteCount: bytes.count)
      used += bytes.count
    }
  }
#endif
