// What only Apple's session asks for. Type-checked by Scripts/apple, never run here.
#if !canImport(FoundationNetworking)
  import Foundation

  extension URLSessionAttempt {
    /// Meets a challenge in a task of its own, so that the session's queue does not wait.
    func meet(
      _ challenge: URLAuthenticationChallenge, _ challenges: SystemChallenges,
      answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let meeting = Task.detached { [weak self] in
        guard let self else { return answer(.cancelAuthenticationChallenge, nil) }
        do throws(APIError) {
          let refused = self.state.withLock { state in
            state.isAsking = true
            return state.trial
          }
          let (decision, trial) = try await challenges.decide(challenge, self.exchange, refused: refused)
          let (disposition, credential) = try await challenges.answer(decision, challenge)
          self.state.withLock { state in
            state.isAsking = false
            state.limits.noteActivity(at: .now)
            if let trial { state.trial = trial }
            if case .identity = decision, challenges.handler != nil { state.isPersonal = true }
            if trial?.isHandlers == true { state.isPersonal = true }
          }
          answer(disposition, credential)
        } catch {
          self.fail(error)
          answer(.cancelAuthenticationChallenge, nil)
        }
      }
      let isOver = state.withLock { state in
        // Challenges of one task come one after another.
        state.meeting = meeting
        state.settling = challenges
        return state.isOver
      }
      if isOver { meeting.cancel() }
    }

    /// Keeps a login of the handler's that was accepted.
    func settleLogin(_ head: HTTPResponse) {
      let (trial, challenges) = state.withLock { ($0.trial, $0.settling) }
      guard let trial, trial.isHandlers, let challenges, let handler = challenges.handler,
        head.status != (trial.space.isProxy ? 407 : 401)
      else { return }
      handler.accepted(trial.login, in: trial.space, for: exchange.request.url)
      guard trial.isStored else { return }
      Task.detached { await handler.store(trial.login, in: trial.space, challenges.logins) }
    }

    /// The body from its start: once, and again for a challenge if it can be opened again.
    func openBody() -> InputStream? {
      guard case .stream(let stream) = exchange.request.body else { return nil }
      let (isFirst, isOver) = state.withLock { state in (state.body == nil, state.isEnding) }
      guard !isOver, isFirst || stream.isReplayable else { return nil }
      let body = BoundBody.sending(stream) { [weak self] error in self?.fail(error) }
      guard let body else { return nil }
      let (isLate, earlier) = state.withLock { state -> (Bool, BoundBody?) in
        // It may have ended meanwhile.
        if state.isOver { return (true, body) }
        defer { state.body = body }
        return (false, state.body)
      }
      earlier?.stop()
      return isLate ? nil : body.input
    }
  }
#endif
