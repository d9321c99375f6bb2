extension SocketOptions: Written {
  static let form = WrittenForm<Self>(
    name: "SocketOptions", start: { Self() },
    members: [
      .plain("maximumMessageBytes", \.maximumMessageBytes),
      .plain("maximumQueuedBytes", \.maximumQueuedBytes), .seconds("openLimit", \.openLimit),
      .seconds("closeLimit", \.closeLimit), .seconds("pingInterval", \.pingInterval),
      .seconds("pingLimit", \.pingLimit), .plain("compressionBits", \.compressionBits),
      .plain("compressesFrom", \.compressesFrom),
    ])
}
