let screen = HomeListScreen()
screen.show()
while screen.homes.isLoading { try await Task.sleep(for: .milliseconds(10)) }
