public import APIKit

extension SignInRule: CaseCodable {
  package static let cases = CaseTable<Self>([
    "asAvailable": .asAvailable, "required": .required, "exempt": .exempt,
  ])
}

extension Authenticator.Rules: VersionedCodable {
  package static let form = VersionedForm<Self>(
    name: "Authenticator.Rules", start: { Self() },
    .plain("account", \.account), .seconds("leeway", \.leeway), .seconds("renewalLimit", \.renewalLimit),
    .plain("needsRefreshToken", \.needsRefreshToken),
    unwritable: [
      "isRefusal": { $0.stated.isRefusal != nil }, "endsCredential": { $0.stated.endsCredential != nil },
      "attach": { $0.stated.attach != nil },
    ])
}
