#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Run by protoc: a CodeGeneratorRequest on standard input, the response on standard output.
// The buffer lives in this scope and each call is given no more than its length.
var input: [UInt8] = []
var chunk = [UInt8](repeating: 0, count: 65_536)
while true {
    let count = unsafe read(STDIN_FILENO, &chunk, chunk.count)
    if count <= 0 { break }
    input += chunk[0..<count]
}
var output = GeneratorResponse.answer(input)[...]
while !output.isEmpty {
    let count = unsafe output.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count <= 0 { exit(1) }
    output = output.dropFirst(count)
}
