public import Foundation

extension RawData {
  /// A number with up to 38 digits, as many as `Decimal` holds; for money.
  ///
  /// A number with more digits is rounded by `Decimal`; one beyond its range is nil.
  public var decimal: Decimal? {
    guard let node = existing, node.tag == .integer || node.tag == .number else {
      // XML has no other values than text.
      guard exists, document.isXML, double != nil, let text = string?.trimmingSpaceAndLines else {
        return nil
      }
      return (try? RawData(parsing: text))?.decimal ?? Self.decimal(text)
    }
    return document.bytes.withUnsafeBufferPointer { bytes in
      guard let number = RawNumber(bytes, node.offset, length: node.length) else { return nil }
      if number.significand == 0 { return 0 }
      if number.isExact, number.exponent >= -127, number.exponent <= 108 {
        return Decimal(
          sign: number.isNegative ? .minus : .plus, exponent: number.exponent,
          significand: Decimal(number.significand))
      }
      return RawNumber.text(bytes, node.offset, length: node.length, read: Self.decimal)
    }
  }

  private static func decimal(_ text: String) -> Decimal? {
    Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).flatMap { $0.isFinite ? $0 : nil }
  }

  /// How a date is written.
  public enum DateFormat: Sendable, Hashable {
    /// A string in ISO 8601, or a number: seconds since 1970, or milliseconds if its magnitude is
    /// 100,000,000,000 or more (which in seconds would be the year 5138).
    case automatic
    /// A string in ISO 8601: `2026-03-01`, `2026-03-01T08:30:00Z`, `2026-03-01 08:30:00.250+08:00`. Without
    /// an offset the time is UTC.
    case iso8601
    /// A number of seconds since 1970, or such a number in a string.
    case epochSeconds
    /// A number of milliseconds since 1970, or such a number in a string.
    case epochMilliseconds
  }

  /// A date, read by ``DateFormat/automatic``; nil when it is not one.
  public var date: Date? { date(as: .automatic) }

  /// A date in a given format; nil when it is not one.
  public func date(as format: DateFormat) -> Date? {
    switch format {
    case .iso8601: return isoDate
    case .epochSeconds: return lenientDouble.map { Date(timeIntervalSince1970: $0) }
    case .epochMilliseconds: return lenientDouble.map { Date(timeIntervalSince1970: $0 / 1000) }
    case .automatic:
      guard let double else { return isoDate }
      return Date(timeIntervalSince1970: abs(double) < 1e11 ? double : double / 1000)
    }
  }

  private var isoDate: Date? {
    if exists, document.isXML, var text = string?.trimmingSpaceAndLines {
      return text.withUTF8 { ISO8601.secondsSince1970($0) }.map { Date(timeIntervalSince1970: $0) }
    }
    guard let node = existing, node.isString else { return nil }
    return document.bytes.withUnsafeBufferPointer { bytes in
      // Some servers write the plus of an offset as `\u002B`.
      node.tag == .string
        ? ISO8601.secondsSince1970(node.text(in: bytes))
        : RawText.unescaped(bytes, node).withUnsafeBufferPointer { ISO8601.secondsSince1970($0) }
    }.map { Date(timeIntervalSince1970: $0) }
  }

  /// A URL, absolute or relative; nil for a text that is not a URL, and for an empty text.
  public var url: URL? {
    (document.isXML ? string?.trimmingSpaceAndLines : string).flatMap { URL(string: $0) }
  }

  /// The bytes of a base64 string, standard or URL-safe, with or without padding. Line ends and spaces are
  /// not allowed, except in a document that was XML.
  public var data: Data? {
    guard let node = existing, node.isString else { return ownText?.data }
    return document.bytes.withUnsafeBufferPointer { bytes in
      if node.tag == .string, !document.isXML { return Base64.decode(lenient: node.text(in: bytes)) }
      // An escaped string may contain `\/`, which some servers write; XML has lines in base64 (XML Schema 2, 3.2.16).
      let text = RawText.unescaped(bytes, node).filter { !document.isXML || !$0.isSpaceOrLine }
      return text.withUnsafeBufferPointer { Base64.decode(lenient: $0) }
    }.map { Data($0) }
  }
}
