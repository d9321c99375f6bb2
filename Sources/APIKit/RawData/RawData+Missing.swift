extension RawData {
  /// A value that is not there, of an empty document: the raw data of a response without a body.
  public static let missing = RawData.null.root["body"]
}
