import APIKit
