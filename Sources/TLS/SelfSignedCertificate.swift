// Invariant that makes the unsafe code safe: every object made here is freed by the `defer` next to it, and the
// library copies what it keeps (names, extensions, the public key).
import COpenSSL
import COpenSSLShim

/// Makes the certificate a server starts with when its owner has none.
public enum SelfSignedCertificate {
    /// Ten years. Devices pin this certificate at pairing, and an expired one would silently cut a deaf
    /// person's phone off its alarms until somebody pairs it again; who wants short-lived certificates brings
    /// their own and the server reloads them.
    public static let validityDays = 3650

    /// An ECDSA P-256 key and a certificate for the given names.
    ///
    /// P-256: every TLS stack has it, and signing costs a fifth of RSA-2048.
    ///
    /// - Parameters:
    ///   - hostNames: DNS names besides `localhost`.
    ///   - addresses: numeric IP addresses besides 127.0.0.1 and ::1.
    public static func make(hostNames: [String] = [], addresses: [String] = []) throws(TLSError)
        -> TLSIdentity
    {
        let alternatives = try alternativeNames(hostNames: hostNames, addresses: addresses)
        guard let key = unsafe tls_generate_p256(), let certificate = unsafe X509_new() else {
            throw .library(call: "EVP_EC_gen", reason: ErrorQueue.takeReason())
        }
        defer {
            unsafe EVP_PKEY_free(key)
            unsafe X509_free(certificate)
        }
        try check("X509_set_version", unsafe X509_set_version(certificate, 2))
        // 127 random bits, as serial numbers must be positive and unique (RFC 5280 section 4.1.2.2).
        var serial = SecureRandom.bytes(16)
        serial[0] &= 0x7f
        guard let number = unsafe BN_bin2bn(serial, 16, nil) else {
            throw .library(call: "BN_bin2bn", reason: ErrorQueue.takeReason())
        }
        defer { unsafe BN_free(number) }
        guard unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil else {
            throw .library(call: "BN_to_ASN1_INTEGER", reason: ErrorQueue.takeReason())
        }
        // A day back, for devices whose clock is a little behind.
        guard unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), -86400) != nil,
            unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), validityDays * 86400) != nil
        else { throw .library(call: "X509_gmtime_adj", reason: ErrorQueue.takeReason()) }
        try check("X509_set_pubkey", unsafe X509_set_pubkey(certificate, key))
        let name = unsafe X509_get_subject_name(certificate)
        try check(
            "X509_NAME_add_entry_by_txt",
            unsafe X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, "Sense server", -1, -1, 0))
        try check("X509_set_issuer_name", unsafe X509_set_issuer_name(certificate, name))
        for (extensionID, value) in [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, "serverAuth"), (NID_subject_key_identifier, "hash"),
            (NID_subject_alt_name, alternatives),
        ] {
            try check("X509_add_ext", unsafe tls_add_extension(certificate, extensionID, value))
        }
        guard unsafe X509_sign(certificate, key, EVP_sha256()) > 0 else {
            throw .library(call: "X509_sign", reason: ErrorQueue.takeReason())
        }
        let chain = unsafe try pem { unsafe PEM_write_bio_X509($0, certificate) }
        let keyText = unsafe try pem { unsafe PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) }
        return TLSIdentity(certificateChainPEM: chain, privateKeyPEM: keyText)
    }

    /// The subject alternative names in OpenSSL's text form. Names are checked, as a comma would begin another.
    private static func alternativeNames(
        hostNames: [String], addresses: [String]
    ) throws(TLSError) -> String {
        var names = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"]
        for name in hostNames {
            let isSafe = name.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte) || (0x41...0x5a).contains(byte) || (0x30...0x39).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
            }
            guard isSafe, !name.isEmpty, name.utf8.count <= 253 else { throw .badHostName(name) }
            if !names.contains("DNS:" + name) { names.append("DNS:" + name) }
        }
        for address in addresses {
            guard let octets = unsafe a2i_IPADDRESS(address) else {
                ErrorQueue.clear()
                throw .badHostName(address)
            }
            unsafe ASN1_OCTET_STRING_free(octets)
            if !names.contains("IP:" + address) { names.append("IP:" + address) }
        }
        return names.joined(separator: ",")
    }

    private static func check(_ call: String, _ status: Int32) throws(TLSError) {
        guard status == 1 else { throw .library(call: call, reason: ErrorQueue.takeReason()) }
    }

    private static func pem(_ write: (OpaquePointer) -> Int32) throws(TLSError) -> [UInt8] {
        guard let memory = unsafe BIO_new(BIO_s_mem()) else {
            throw .library(call: "BIO_new", reason: ErrorQueue.takeReason())
        }
        defer { unsafe BIO_free(memory) }
        guard unsafe write(memory) == 1 else {
            throw .library(call: "PEM_write_bio", reason: ErrorQueue.takeReason())
        }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe BIO_read(memory, &chunk, Int32(chunk.count))
            guard count > 0 else { return text }
            text += chunk[..<Int(count)]
        }
    }
}
