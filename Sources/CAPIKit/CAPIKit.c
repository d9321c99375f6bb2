// The target is headers only; SwiftPM wants one source to build.
