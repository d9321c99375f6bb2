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
///
/// On Apple's systems from iOS 17 and macOS 14 on; before, views are updated by the delegate.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
extension BaseAPIManager: Observable {}

extension BaseAPIManager {
  /// Notes a read of a property for the observers that track it.
  func track<Value>(_ property: KeyPath<BaseAPIManager, Value>) {
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) else { return }
    let box = registrar as? RegistrarBox ?? RegistrarBox()
    registrar = box
    box.registrar.access(self, keyPath: property)
  }

  /// Changes a property, and tells the observers that have read it.
  func change<Value>(_ property: KeyPath<BaseAPIManager, Value>, _ mutation: () -> Void) {
    guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *), let box = registrar as? RegistrarBox else {
      return mutation()
    }
    box.registrar.withMutation(of: self, keyPath: property, mutation)
  }
}

/// A stored property cannot be of a type that only newer systems have.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
private final class RegistrarBox {
  let registrar = ObservationRegistrar()
}
