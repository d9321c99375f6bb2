import Foundation

#if canImport(Darwin)
  import Darwin
#endif

/// The running of the machine since it was last started.
package enum SystemBoot {
  /// What tells it from every other; nil where the system does not say.
  ///
  /// What a process has written stays with the system when the process ends, however it ends, until then.
  package static let identity: String? = {
    #if canImport(Darwin)
      var bytes = [UInt8](repeating: 0, count: 64)
      var count = bytes.count
      guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return nil }
      let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    #else
      let data = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
      let text = String(decoding: data?.prefix { $0 != UInt8(ascii: "\n") } ?? Data(), as: UTF8.self)
    #endif
    return text.isEmpty ? nil : text
  }()
}
