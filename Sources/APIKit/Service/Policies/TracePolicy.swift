/// Whether a service's requests say which trace they belong to; see ``TraceContext``.
///
/// The fields are set before the request is signed and after loads are joined and stored responses looked up: they
/// change neither which loads share a call nor which response is found.
public enum TracePolicy: Sendable, Hashable {
  /// They do not. A field that service or manager sets is sent as it is.
  case none
  /// Requests within the first origin have the fields; a redirect to another one does not. Fields of these names that
  /// service or manager set are replaced.
  case sent
  /// Those to other origins too, for backends that belong together.
  case sentEverywhere
}
