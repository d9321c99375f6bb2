extension RawData {
  /// A missing value: the raw data of a response without a body.
  public static let missing = RawData.null.root["body"]
}
