import HTTPCore
import Testing

@Suite struct OriginPolicyTests {
    static let policy = OriginPolicy([
        "https://good.example", "http://localhost:8080", "https://xn--bcher-kva.example",
    ])

    static func verdict(_ origins: String..., policy: OriginPolicy = policy) -> Bool {
        policy.verdict(HTTPFields(origins.map { ("Origin", $0) })) == .allowed
    }

    @Test(arguments: [
        "https://good.example", "HTTPS://GOOD.EXAMPLE", "https://good.example:443", "http://localhost:8080",
        "https://xn--bcher-kva.example",
    ]) func allowedPagesPass(_ origin: String) {
        #expect(Self.verdict(origin))
    }

    @Test(arguments: [
        "", "null", "*", "good.example", "https://", "http://good.example", "https://good.example:8443",
        "https://good.example.evil", "https://evilgood.example", "https://good.example@evil.example",
        "https://user@good.example", "https://evil.example#https://good.example",
        "https://evil.example/https://good.example", "https://good.example/", "https://good.example/path",
        "https://good.example evil", "https://good.example, https://evil.example", "https://good.example.",
        "https://g\u{43E}\u{43E}d.example", "https://bücher.example", "https://good.example:443:443",
        "https://good.example:", "https:// good.example", "https:good.example", "https//good.example",
        "https://good%2eexample", "file://", "https://[good.example]", "https://good.example\u{0}",
    ]) func fault23_tricksDoNot(_ origin: String) {
        #expect(!Self.verdict(origin))
    }

    @Test func fault23_twoOriginFieldsAreRefused() {
        #expect(!Self.verdict("https://good.example", "https://good.example"))
    }

    @Test func requestsWithoutOriginAreForThePolicyToDecide() {
        #expect(Self.verdict())
        #expect(!Self.verdict(policy: OriginPolicy(["https://good.example"], allowsMissing: false)))
    }

    @Test func anyIsAny() {
        #expect(Self.verdict("null", policy: .any))
        #expect(Self.verdict("https://evil.example", policy: .any))
    }

    @Test func aMalformedEntryIsNotAnOrigin() {
        #expect(OriginPolicy.isOrigin("https://[::1]:8443"))
        #expect(!OriginPolicy.isOrigin("https://good.example/"))
        #expect(!OriginPolicy.isOrigin("*"))
    }
}
