let screen = HomeListScreen()
screen.show()
while screen.isLoading { try await Task.sleep(for: .milliseconds(10)) }
