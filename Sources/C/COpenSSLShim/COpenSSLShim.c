#include "COpenSSLShim.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <string.h>

static int wire_read(BIO *bio, char *to, int count) {
    tls_wire *wire = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (count <= 0) return 0;
    if (wire->in_left == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    size_t taken = (size_t)count < wire->in_left ? (size_t)count : wire->in_left;
    memcpy(to, wire->in, taken);
    wire->in += taken;
    wire->in_left -= taken;
    return (int)taken;
}

static int wire_write(BIO *bio, const char *from, int count) {
    tls_wire *wire = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (count <= 0) return 0;
    size_t room = wire->out_capacity - wire->out_used;
    if (room == 0) {
        BIO_set_retry_write(bio);
        return -1;
    }
    size_t taken = (size_t)count < room ? (size_t)count : room;
    memcpy(wire->out + wire->out_used, from, taken);
    wire->out_used += taken;
    return (int)taken;
}

static long wire_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP;
}

static int wire_create(BIO *bio) {
    BIO_set_init(bio, 1);
    return 1;
}

static BIO_METHOD *wire_method;
static pthread_once_t wire_method_once = PTHREAD_ONCE_INIT;

static void make_wire_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire");
    if (method == NULL) return;
    BIO_meth_set_read(method, wire_read);
    BIO_meth_set_write(method, wire_write);
    BIO_meth_set_ctrl(method, wire_control);
    BIO_meth_set_create(method, wire_create);
    wire_method = method;
}

int tls_attach_wire(SSL *ssl, tls_wire *wire) {
    pthread_once(&wire_method_once, make_wire_method);
    if (wire_method == NULL) return 0;
    BIO *bio = BIO_new(wire_method);
    if (bio == NULL) return 0;
    BIO_set_data(bio, wire);
    SSL_set_bio(ssl, bio, bio);
    return 1;
}

int tls_configure_common(SSL_CTX *context, int allow_tls12) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    static const unsigned char name[] = "sense";
    return SSL_CTX_set_min_proto_version(context, allow_tls12 ? TLS1_2_VERSION : TLS1_3_VERSION)
        && SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION)
        && SSL_CTX_set_session_id_context(context, name, sizeof name - 1)
        && SSL_CTX_set_num_tickets(context, 1);
}

static const unsigned char http11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

static int select_alpn(SSL *ssl, const unsigned char **out, unsigned char *out_length, const unsigned char *in,
                       unsigned int in_length, void *argument) {
    (void)ssl, (void)argument;
    unsigned char *selected;
    if (SSL_select_next_proto(&selected, out_length, http11, sizeof http11, in, in_length)
        != OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *out = selected;
    return SSL_TLSEXT_ERR_OK;
}

void tls_configure_server_alpn(SSL_CTX *context) { SSL_CTX_set_alpn_select_cb(context, select_alpn, NULL); }

int tls_configure_client_alpn(SSL_CTX *context) {
    return SSL_CTX_set_alpn_protos(context, http11, sizeof http11) == 0;
}

int tls_copy_ticket_keys(SSL_CTX *from, SSL_CTX *to) {
    unsigned char keys[256];
    long length = SSL_CTX_set_tlsext_ticket_keys(from, NULL, 0);
    if (length <= 0 || (size_t)length > sizeof keys) return 0;
    int done = SSL_CTX_get_tlsext_ticket_keys(from, keys, length) == 1
        && SSL_CTX_set_tlsext_ticket_keys(to, keys, length) == 1;
    OPENSSL_cleanse(keys, sizeof keys);
    return done;
}

static int no_password(char *buffer, int size, int writing, void *argument) {
    (void)buffer, (void)size, (void)writing, (void)argument;
    return -1;
}

X509 *tls_read_certificate(BIO *source) { return PEM_read_bio_X509(source, NULL, no_password, NULL); }

EVP_PKEY *tls_read_private_key(BIO *source) { return PEM_read_bio_PrivateKey(source, NULL, no_password, NULL); }

int tls_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return SSL_CTX_add0_chain_cert(context, certificate) == 1;
}

EVP_PKEY *tls_generate_p256(void) { return EVP_EC_gen("P-256"); }

int tls_add_extension(X509 *certificate, int nid, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    if (extension == NULL) return 0;
    int done = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return done;
}

int tls_set_expected_host(SSL *ssl, const char *host) {
    SSL_set_verify(ssl, SSL_VERIFY_PEER, NULL);
    return SSL_set_tlsext_host_name(ssl, host) == 1 && SSL_set1_host(ssl, host) == 1;
}

int tls_limit_to_tls12(SSL *ssl) { return SSL_set_max_proto_version(ssl, TLS1_2_VERSION) == 1; }

int tls_was_resumed(const SSL *ssl) { return SSL_session_reused(ssl); }
