import TLS

/// The server's certificate: one's own, or one that is made at first start and kept beside the store.
enum Certificate {
    /// A TLS context for the configured certificate.
    static func context(_ configuration: Configuration) throws(ServerError) -> TLSContext {
        let identity = try identity(configuration)
        do throws(TLSError) {
            return try TLSContext(server: identity)
        } catch {
            throw ServerError(
                what: "certificate", reason: "\(error)",
                advice: "Check that certificate and key belong together.")
        }
    }

    /// The certificate and key, made if there are none yet.
    static func identity(_ configuration: Configuration) throws(ServerError) -> TLSIdentity {
        let certificatePath = configuration.certificatePath ?? configuration.dataPath + "/certificate.pem"
        let keyPath = configuration.keyPath ?? configuration.dataPath + "/key.pem"
        do throws(TLSError) {
            let isOurs = configuration.certificatePath == nil
            if isOurs, !FileSystem.exists(certificatePath), !FileSystem.exists(keyPath) {
                let made = try SelfSignedCertificate.make(hostNames: [FileSystem.hostName()])
                try made.write(certificatePath: certificatePath, privateKeyPath: keyPath)
                return made
            }
            return try TLSIdentity(certificatePath: certificatePath, privateKeyPath: keyPath)
        } catch {
            throw ServerError(
                what: "certificate \(certificatePath)", reason: "\(error)",
                advice:
                    "Give --cert and --key, or remove both files to have new ones made (devices must pin them again)."
            )
        }
    }
}
