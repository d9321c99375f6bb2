import APIKit

/// `GET`, which downloads as well.
struct GetCommand: CallCommand {
  static let method = HTTPMethod.get
  static let summary = "load from a URL: show the response, or write it to a file"
  static let example = "get :8080/ames/v2/listings limit==2 --explain"
  static let options =
    Option.loading + [
      Option("--resume", help: "go on with the --output of an earlier run that was interrupted")
    ]
    + Option.asking

  let call: CallArguments
  var afterInterruption: String? { call.resumes ? "the same command resumes" : nil }
}

/// `HEAD`.
struct HeadCommand: CallCommand {
  static let method = HTTPMethod.head
  static let summary = "ask for the header fields of a URL"
  static let example = "head :8080/transfers/files/8000000"
  let call: CallArguments
}

/// `POST`.
struct PostCommand: CallCommand {
  static let method = HTTPMethod.post
  static let summary = "send data to a URL, as JSON, a form or a file"
  static let example = "post :8080/transfers/uploads name=Ann age:=41 X-Trace:7"
  let call: CallArguments
}

/// `PUT`.
struct PutCommand: CallCommand {
  static let method = HTTPMethod.put
  static let summary = "replace what is at a URL"
  static let example = "put :8080/transfers/uploads name=Ann"
  let call: CallArguments
}

/// `PATCH`.
struct PatchCommand: CallCommand {
  static let method = HTTPMethod.patch
  static let summary = "change a part of what is at a URL"
  static let example = "patch https://api.example.org/users/7 name=Ann"
  let call: CallArguments
}

/// `DELETE`.
struct DeleteCommand: CallCommand {
  static let method = HTTPMethod.delete
  static let summary = "remove what is at a URL"
  static let example = "delete https://api.example.org/users/7 reason==moved"
  let call: CallArguments
}
