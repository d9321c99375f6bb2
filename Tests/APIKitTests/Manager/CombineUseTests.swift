// The code of Docs/Managers.md that needs Combine: `Scripts/apple --tests` compiles it.
#if canImport(Combine)
  import APIKit
  import Combine

  @MainActor private func log(_ home: BaseAPIManager, in subscriptions: inout Set<AnyCancellable>) {
    home.landingsPublisher
      .sink { landing in
        if case .failure(let error) = landing { print(error.label) }
      }
      .store(in: &subscriptions)
  }
#endif
