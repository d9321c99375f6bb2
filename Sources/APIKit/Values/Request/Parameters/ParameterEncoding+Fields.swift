// MARK: Header fields

extension ParameterEncoding {
  /// Whether any parameter goes into a header field.
  var hasFields: Bool {
    places.map { !$0.value.headerNames.isEmpty || !$0.value.cookieNames.isEmpty } ?? false
  }

  /// The names of those parameters.
  var fieldNames: [String] { places.map { $0.value.headerNames + $0.value.cookieNames } ?? [] }

  /// The names of those that are secrets by the names that are sent. Cookies are.
  var secretFieldNames: [String] {
    guard let places = places?.value else { return [] }
    return places.cookieNames + places.headerNames.filter { SecretNames.contains(sentName(of: $0)) }
  }

  /// Those parameters.
  func fieldParameters(of parameters: Parameters) -> Parameters {
    hasFields ? parameters.only(fieldNames) : Parameters()
  }

  /// Sets the header fields of those parameters that go there.
  func addFields(of parameters: Parameters, to headers: inout HTTPHeaders) throws(APIError) {
    guard hasFields, let places = places?.value else { return }
    var fields = HTTPHeaders()
    var cookies: [String] = []
    for (name, value) in parameters {
      let isField = places.headerNames.containsExactly(name)
      guard isField || places.cookieNames.containsExactly(name) else { continue }
      let text: String?
      do throws(Unencodable) {
        text = isField ? try queryStyle.line(of: value) : try queryStyle.text(of: value)
      } catch {
        throw error.under(name).error(in: isField ? "a header field" : "a cookie")
      }
      guard let text else { continue }
      let sent = sentName(of: name)
      guard isField ? !fields.contains(sent) : !cookies.contains(where: { $0.hasPrefix("\(sent)=") }) else {
        throw Self.doubled(sent, in: isField ? "header fields" : "cookies")
      }
      if isField { fields.add(sent, text) } else { cookies.append(try HTTPHeaders.cookie(sent, text)) }
    }
    headers.merge(fields)
    if !cookies.isEmpty { headers.add(cookies: cookies.joined(separator: "; "), replacing: true) }
  }
}

extension QueryStyle {
  /// The text of a value as a header field has it: an array by commas (RFC 6570's simple expansion). Nil where nothing is sent.
  fileprivate func line(of value: ParameterValue) throws(Unencodable) -> String? {
    guard case .array(let elements) = value else { return try text(of: value) }
    let texts = try texts(of: elements, joinedBy: ",")
    return texts.isEmpty ? nil : texts.joined(separator: ",")
  }
}

// MARK: Names

extension ParameterEncoding {
  /// The name under which a parameter is sent.
  private func sentName(of name: String) -> String {
    places?.value.sentNames.last { $0.name.equalsExactly(name) }?.sent ?? name
  }

  /// The parameters of one place under the names that are sent.
  func named(_ parameters: Parameters, in place: String) throws(APIError) -> Parameters {
    guard places != nil else { return parameters }
    var (pairs, names): ([(String, ParameterValue)], Set<ExactText>) = ([], [])
    for (name, value) in parameters {
      let sent = sentName(of: name)
      guard names.insert(ExactText(sent)).inserted else { throw Self.doubled(sent, in: place) }
      pairs.append((sent, value))
    }
    return Parameters(pairs)
  }

  private static func doubled(_ name: String, in place: String) -> APIError {
    APIError(
      .assembly, .misconfigured,
      "two parameters are sent as \(name.debugDescription) in \(place); name one of them otherwise")
  }

  /// What a signature over parameters covers: those of query and body, by the names that are sent. A parameter whose name
  /// another one has as well is covered by its own name.
  func signed(_ parameters: Parameters) -> Parameters {
    guard places != nil else { return parameters }
    let signed = parameters.removing(fieldNames)
    var counts: [ExactText: Int] = [:]
    for (name, _) in signed { counts[ExactText(sentName(of: name)), default: 0] += 1 }
    return Parameters(
      signed.map { name, value in
        let sent = sentName(of: name)
        return (counts[ExactText(sent)] == 1 ? sent : name, value)
      })
  }

  /// The parameters for people: with those masked that are secrets by the names that are sent. Cookies are.
  func masked(_ parameters: Parameters) -> Parameters {
    guard let places = places?.value else { return parameters }
    return Parameters(
      parameters.map { name, value in
        let isSecret = places.cookieNames.containsExactly(name) || SecretNames.contains(sentName(of: name))
        return (name, isSecret ? .string(SecretMask.mark) : value)
      })
  }
}
