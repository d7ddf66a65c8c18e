import FuzzSupport

@_cdecl("LLVMFuzzerTestOneInput") public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    fuzz(bytes, count, as: .glb)
    return 0
}

/// The program's entry point: `-sanitize=fuzzer` compiles without top-level code, so it is exported by name.
@_cdecl("fuzz_glb_main") public func main(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32 {
    runFuzzer(count, arguments, testOneInput)
}
