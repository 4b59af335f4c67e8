// What Swift cannot import from OpenSSL: macros with arguments, variadic functions, and callbacks. Only `TLS`
// imports this module.
#pragma once
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stddef.h>
#include <stdint.h>

/// The two ends of the wire during one call into the library: received bytes to read from, memory to write to.
/// The pointers are only looked at while that call runs.
typedef struct {
    const uint8_t *in;
    size_t in_left;
    uint8_t *out;
    size_t out_used;
    size_t out_capacity;
} tls_wire;

/// Makes `ssl` read from and write to `wire`, which must outlive it. Returns 1, or 0 when out of memory.
int tls_attach_wire(SSL *ssl, tls_wire *wire);

/// Sets what every context of ours has in common. Returns 1 or 0.
int tls_configure_common(SSL_CTX *context, int allow_tls12);

/// A server accepts ALPN "http/1.1" alone; a client without ALPN is served too.
void tls_configure_server_alpn(SSL_CTX *context);
/// A client offers ALPN "http/1.1". Returns 1 or 0.
int tls_configure_client_alpn(SSL_CTX *context);

/// Copies the ticket keys, so that tickets of the old context resume with the new one. Returns 1 or 0.
int tls_copy_ticket_keys(SSL_CTX *from, SSL_CTX *to);

/// Reads PEM without ever asking for a password on the terminal: an encrypted key is an error.
X509 *tls_read_certificate(BIO *source);
EVP_PKEY *tls_read_private_key(BIO *source);

/// Adds an intermediate certificate; ownership moves to the context on success. Returns 1 or 0.
int tls_add_chain_certificate(SSL_CTX *context, X509 *certificate);

/// A new P-256 key, or NULL.
EVP_PKEY *tls_generate_p256(void);

/// Adds an X.509 v3 extension in OpenSSL's text form to a self-signed certificate. Returns 1 or 0.
int tls_add_extension(X509 *certificate, int nid, const char *value);

/// The host name the peer's certificate must carry. Returns 1 or 0.
int tls_set_expected_host(SSL *ssl, const char *host);

/// The highest version this connection offers becomes TLS 1.2. Returns 1 or 0.
int tls_limit_to_tls12(SSL *ssl);

/// 1 if the connection was resumed from a ticket.
int tls_was_resumed(const SSL *ssl);
