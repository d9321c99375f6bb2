#if canImport(os)
  import os

  extension RecordSink {
    /// A sink that writes each record to the system's log, and a signpost interval for each load, which Instruments shows.
    ///
    /// A failed load is an error in the log, any other a line of information. A record that is too long for one message of
    /// the log is written as several, each with its number. The interval `load` begins at the takeoff and ends at the
    /// landing; its messages name the API, the outcome and the reason.
    /// - Parameters:
    ///   - subsystem: The application's identifier, e.g. `com.example.homes`.
    ///   - category: The category of the lines; `loads` by default.
    public static func systemLog(subsystem: String, category: String = "loads") -> RecordSink {
      let logger = Logger(subsystem: subsystem, category: category)
      let signposter = OSSignposter(logger: logger)
      // The flight's number tells the intervals of loads in the air apart.
      let follower = Follower(
        begin: { flight, api in
          _ = signposter.beginInterval(
            "load", id: OSSignpostID(flight.rawValue), "\(api.description, privacy: .public)")
        },
        end: { load in
          let outcome = [load.outcome.rawValue, load.reason].compactMap(\.self).joined(separator: ", ")
          signposter.endInterval(
            "load", .beginState(id: OSSignpostID(load.flight.rawValue)), "\(outcome, privacy: .public)")
        })
      return RecordSink("system-log", follower: follower) { record in
        // Secrets are masked in it.
        for text in LogParts.parts(of: record.description, named: "flight \(record.flight)") {
          if case .failed = record.landing {
            logger.error("\(text, privacy: .public)")
          } else {
            logger.info("\(text, privacy: .public)")
          }
        }
      }
    }
  }
#endif
