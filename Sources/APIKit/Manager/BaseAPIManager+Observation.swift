public import Observation

/// What a view observes of a manager: ``BaseAPIManager/isLoading``, ``BaseAPIManager/lastResponse`` (also through
/// ``BaseAPIManager/rawData`` and ``BaseAPIManager/fetchData(with:)``) and ``BaseAPIManager/lastError``.
///
/// ```swift
/// var body: some View {
///   if homes.isLoading { ProgressView() }
///   List((try? homes.fetchData(with: HomeRows())) ?? []) { HomeRow($0) }
/// }
/// ```
/// A manager that nothing observes pays nothing: its registrar is made when one of the properties is first read.
extension BaseAPIManager: Observable {
  /// Notes a read of a property for the observers that track it.
  func track<Value>(_ property: KeyPath<BaseAPIManager, Value>) {
    let registrar = registrar ?? ObservationRegistrar()
    self.registrar = registrar
    registrar.access(self, keyPath: property)
  }

  /// Changes a property, and tells the observers that have read it.
  func change<Value>(_ property: KeyPath<BaseAPIManager, Value>, _ mutation: () -> Void) {
    guard let registrar else { return mutation() }
    registrar.withMutation(of: self, keyPath: property, mutation)
  }
}
