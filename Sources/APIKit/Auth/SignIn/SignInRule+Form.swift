extension SignInRule: WrittenNames {
  static let names: [(name: String, value: Self)] = [
    ("asAvailable", .asAvailable), ("required", .required), ("exempt", .exempt),
  ]
}

extension Authenticator.Rules: Written {
  static let form = WrittenForm<Self>(
    name: "Authenticator.Rules", start: { Self() },
    members: [
      .plain("account", \.account), .seconds("leeway", \.leeway), .seconds("renewalLimit", \.renewalLimit),
      .plain("needsRefreshToken", \.needsRefreshToken),
    ],
    unwritable: { rules in
      rules.stated.isRefusal != nil
        ? "isRefusal"
        : rules.stated.endsCredential != nil
          ? "endsCredential" : rules.stated.attach != nil ? "attach" : nil
    })
}
