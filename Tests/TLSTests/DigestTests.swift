import Testing

@testable import TLS

@Suite struct DigestTests {
    /// FIPS 180-4 examples, from the standard's example file.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func matchesTheStandard(text: String, hex: String) {
        #expect(CertificateFingerprint(digest: SHA256.digest(of: Array(text.utf8))).hex == hex)
    }

    @Test func randomBytesDiffer() {
        #expect(SecureRandom.bytes(32).count == 32)
        #expect(SecureRandom.bytes(32) != SecureRandom.bytes(32))
        #expect(SecureRandom.bytes(0) == [])
    }

    @Test func comparesWholeArrays() {
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2], [1, 2, 3]))
        #expect(ConstantTime.equal([], []))
    }

    @Test func fingerprintsReadWhatTheyPrint() throws {
        let fingerprint = CertificateFingerprint(digest: SHA256.digest(of: [1]))
        #expect(CertificateFingerprint(fingerprint.hex) == fingerprint)
        #expect(CertificateFingerprint(fingerprint.description) == fingerprint)
        #expect(CertificateFingerprint("") == nil)
        #expect(CertificateFingerprint(String(fingerprint.hex.dropLast())) == nil)
        #expect(CertificateFingerprint(fingerprint.hex + "0") == nil)
        #expect(CertificateFingerprint(String(fingerprint.hex.dropLast()) + "g") == nil)
        #expect(CertificateFingerprint(String(fingerprint.hex.dropLast()) + "é") == nil)
    }
}
