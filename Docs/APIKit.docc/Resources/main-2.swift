let screen = HomeListScreen()
screen.show(HomeFilter(city: "SACRAMENTO", leastBeds: 3))
while screen.isLoading { try await Task.sleep(for: .milliseconds(10)) }
