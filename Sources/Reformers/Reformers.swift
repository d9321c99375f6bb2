public import APIKit
