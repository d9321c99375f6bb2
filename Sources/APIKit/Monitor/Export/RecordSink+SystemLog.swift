#if canImport(os)
  import os

  extension RecordSink {
    /// A sink that writes each record to the system's log, and a signpost for each, which Instruments shows.
    ///
    /// A failed load is an error there, any other a line of information. The signpost stands at the landing and tells
    /// the load's duration.
    /// - Parameters:
    ///   - subsystem: The application's identifier, e.g. `com.example.homes`.
    ///   - category: What the lines are found by; `loads` by default.
    public static func systemLog(subsystem: String, category: String = "loads") -> RecordSink {
      let logger = Logger(subsystem: subsystem, category: category)
      let signposter = OSSignposter(logger: logger)
      return RecordSink("system-log") { record in
        let text = record.description
        // Secrets are masked in it.
        if case .failed = record.landing {
          logger.error("\(text, privacy: .public)")
        } else {
          logger.info("\(text, privacy: .public)")
        }
        let summary = "\(record.method) \(record.apiName) (\(record.service)) \(record.duration.shortText)"
        signposter.emitEvent("landing", "\(summary, privacy: .public)")
      }
    }
  }
#endif
