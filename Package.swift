// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is compiled with the same strictness: warnings are errors, unsafe code is marked.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// One target of a layer; `ops/check-imports` holds the table of who may import whom.
func layer(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

func executable(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], exclude: exclude, swiftSettings: strict)
}

let linuxOnly: TargetDependencyCondition? = .when(platforms: [.linux])

let package = Package(
    name: "Sense",
    products: [
        .library(name: "SenseProtocol", targets: ["SenseProtocol"]),
        .library(name: "SenseClientKit", targets: ["SenseClientKit"]),
        .executable(name: "sense-server", targets: ["sense-server"]),
        .executable(name: "sense-client", targets: ["sense-client"]),
        .executable(name: "ws-echo", targets: ["ws-echo"]),
        .executable(name: "protoc-gen-sense", targets: ["protoc-gen-sense"]),
    ],
    targets: [
        // C libraries, each imported by exactly one Swift target.
        .systemLibrary(
            name: "CZlib", path: "Sources/C/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/C/COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/C/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "COpenBLAS", path: "Sources/C/COpenBLAS", pkgConfig: "openblas",
            providers: [.apt(["libopenblas-serial-dev"])]),
        .systemLibrary(
            name: "CSndfile", path: "Sources/C/CSndfile", pkgConfig: "sndfile",
            providers: [.apt(["libsndfile1-dev"])]),
        .target(name: "CLinux", path: "Sources/C/CLinux"),
        .target(name: "COpenSSLShim", dependencies: ["COpenSSL"], path: "Sources/C/COpenSSLShim"),
        .target(name: "CKernels", path: "Sources/C/CKernels"),

        // L0
        layer("ByteCodec"),
        layer("Numerics"),

        // L1: no I/O, no clock, no randomness
        layer("HTTPCore", ["ByteCodec"]),
        layer("WebSocketCore", ["HTTPCore", "ByteCodec", "CZlib"]),
        layer("SenseProtocol", ["ByteCodec"]),
        layer("SignalProcessing", ["Numerics"]),
        layer("BridgeAI", ["Numerics"]),
        layer("QuietAlert", ["Numerics", "SignalProcessing"]),
        layer("HarmoniAI", ["Numerics"]),
        layer("Blindspot", []),
        layer(
            "SessionCore",
            [
                "ByteCodec", "Numerics", "SenseProtocol", "SignalProcessing", "BridgeAI", "QuietAlert",
                "HarmoniAI", "Blindspot",
            ]),

        // L2: each owns one C library; none imports another
        layer("Net", ["ByteCodec", .target(name: "CLinux", condition: linuxOnly)]),
        layer("TLS", ["ByteCodec", "COpenSSL", "COpenSSLShim"]),
        layer("Storage", ["ByteCodec", "CSQLite"]),
        layer("Inference", ["ByteCodec", "Numerics", "COpenBLAS", "CKernels"], exclude: ["OPERATORS.md"]),
        layer("AudioFile", ["Numerics", "CSndfile"]),

        // L3
        layer(
            "SenseServer",
            [
                "ByteCodec", "Numerics", "HTTPCore", "WebSocketCore", "SenseProtocol", "SignalProcessing",
                "BridgeAI", "QuietAlert", "HarmoniAI", "Blindspot", "SessionCore", "Net", "TLS", "Storage",
                "Inference",
            ]),
        layer(
            "SenseClientKit",
            [
                "ByteCodec", "HTTPCore", "WebSocketCore", "SenseProtocol",
                .target(name: "Net", condition: linuxOnly), .target(name: "TLS", condition: linuxOnly),
            ]),
        // Optimised in debug builds too: it makes minutes of sound sample by sample, and tests wait for them.
        .target(
            name: "TestSupport", dependencies: ["ByteCodec", "Numerics"],
            swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),

        // L4
        executable("sense-server", ["SenseServer"]),
        executable(
            "sense-client", path: "clients/sense-client",
            ["SenseClientKit", "SenseProtocol", "AudioFile", "ByteCodec", "SignalProcessing", "Numerics"]),
        executable("ws-echo", ["SenseServer", "HTTPCore", "WebSocketCore", "Net", "TLS"]),
        executable("protoc-gen-sense", ["ByteCodec"]),
        executable("inference-bench", ["Inference", "Numerics"]),
        executable("letters-bench", ["BridgeAI", "Inference"]),
        executable(
            "words-bench",
            ["BridgeAI", "Inference", "Numerics", "SenseClientKit", "SenseProtocol", "TestSupport"]),
        executable(
            "alarm-bench", ["QuietAlert", "SignalProcessing", "Numerics", "AudioFile", "TestSupport"]),
        executable(
            "sounds-bench",
            [
                "Numerics", "QuietAlert", "Inference", "AudioFile", "SessionCore", "SenseProtocol",
                "SenseServer", "TestSupport",
            ]),
        executable("storage-crash-writer", ["Storage"]),

        tests("TestSupportTests", []),
        tests("ByteCodecTests", ["ByteCodec"]),
        tests("NumericsTests", ["Numerics"]),
        tests("HTTPCoreTests", ["HTTPCore"]),
        tests("WebSocketCoreTests", ["WebSocketCore", "HTTPCore", "ByteCodec"]),
        .testTarget(
            name: "ProtocGenSenseTests", dependencies: ["protoc-gen-sense", "ByteCodec"],
            exclude: ["Golden"], swiftSettings: strict),
        tests("SenseProtocolTests", ["SenseProtocol", "ByteCodec"]),
        tests("SignalProcessingTests", ["SignalProcessing", "Numerics"]),
        tests("BridgeAITests", ["BridgeAI", "Numerics"]),
        tests("QuietAlertTests", ["QuietAlert", "SignalProcessing", "Numerics"]),
        tests("HarmoniAITests", ["HarmoniAI", "Numerics"]),
        tests("BlindspotTests", ["Blindspot"]),
        tests("SessionCoreTests", ["SessionCore", "SenseProtocol", "BridgeAI", "QuietAlert", "Numerics"]),
        tests("NetTests", ["Net", "ByteCodec"]),
        tests("TLSTests", ["TLS", "ByteCodec"]),
        tests("StorageTests", ["Storage", "storage-crash-writer"]),
        tests("InferenceTests", ["Inference", "Numerics"], exclude: ["Goldens"]),
        tests("AudioFileTests", ["AudioFile", "Numerics"], exclude: ["Fixtures"]),
        tests(
            "SenseServerTests",
            [
                "SenseServer", "SenseProtocol", "WebSocketCore", "HTTPCore", "Net", "TLS", "ByteCodec",
                "Storage", "Inference", "QuietAlert",
            ]),
        tests("SenseClientKitTests", ["SenseClientKit", "SenseProtocol", "sense-client"]),
        tests(
            "EndToEndTests",
            ["SenseServer", "SenseClientKit", "SenseProtocol", "AudioFile", "Storage", "Net", "TLS"]),
        tests("ArchitectureTests", []),
    ],
    swiftLanguageModes: [.v6]
)
