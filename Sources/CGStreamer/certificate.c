#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <string.h>

#include "internal.h"

enum { DAY = 24 * 3600 };

// Sign a certificate for a key; NULL if that fails.
static X509 *sign(EVP_PKEY *key)
{
    X509 *made = X509_new();
    uint64_t serial = 0;
    if (!made) return NULL;
    X509_NAME *name = X509_get_subject_name(made);
    bool is_signed = RAND_bytes((unsigned char *)&serial, sizeof serial) == 1
        && X509_set_version(made, 2)
        && ASN1_INTEGER_set_uint64(X509_get_serialNumber(made), serial >> 1)
        && X509_gmtime_adj(X509_getm_notBefore(made), -DAY)
        && X509_gmtime_adj(X509_getm_notAfter(made), 365L * DAY)
        && X509_NAME_add_entry_by_txt(
               name, "CN", MBSTRING_ASC, (const unsigned char *)"greenroom", -1, -1, 0)
        && X509_set_issuer_name(made, name) && X509_set_pubkey(made, key)
        && X509_sign(made, key, EVP_sha256()) > 0;
    if (is_signed) return made;
    X509_free(made);
    return NULL;
}

// Write both as PEM; NULL if that fails.
static char *pem_of(X509 *certificate, EVP_PKEY *key)
{
    BIO *memory = BIO_new(BIO_s_mem());
    char *text = NULL;
    char *bytes = NULL;
    if (memory && PEM_write_bio_X509(memory, certificate)
        && PEM_write_bio_PrivateKey(memory, key, NULL, NULL, 0, NULL, NULL)) {
        long length = BIO_get_mem_data(memory, &bytes);
        text = g_strndup(bytes, (gsize)length);
    }
    BIO_free(memory);
    return text;
}

// Its hash in the notation of SDP, such as "0A:1B:…", behind a text; NULL if that fails.
static char *fingerprint_of(X509 *certificate, const EVP_MD *hash, const char *prefix)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (!X509_digest(certificate, hash, digest, &length)) return NULL;
    GString *text = g_string_new(prefix);
    for (unsigned index = 0; index < length; index++) {
        g_string_append_printf(text, index > 0 ? ":%02X" : "%02X", digest[index]);
    }
    return g_string_free(text, FALSE);
}

static gpointer make(gpointer none)
{
    certificate *made = g_new0(certificate, 1);
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *own = key ? sign(key) : NULL;
    char *pem = own ? pem_of(own, key) : NULL;
    char *fingerprint = own ? fingerprint_of(own, EVP_sha256(), "sha-256 ") : NULL;
    if (pem && fingerprint) {
        *made = (certificate){pem, fingerprint};
    } else {
        g_free(pem);
        g_free(fingerprint);
    }
    X509_free(own);
    EVP_PKEY_free(key);
    return made;
}

const certificate *certificate_of_process(void)
{
    static GOnce once = G_ONCE_INIT;
    return g_once(&once, make, NULL);
}

bool greenroom_certificate_matches(const char *pem, const char *hash, const char *value)
{
    const EVP_MD *function = strcmp(hash, "sha-256") == 0 ? EVP_sha256()
        : strcmp(hash, "sha-384") == 0                    ? EVP_sha384()
        : strcmp(hash, "sha-512") == 0                    ? EVP_sha512()
                                                          : NULL;
    BIO *memory = function ? BIO_new_mem_buf(pem, -1) : NULL;
    X509 *read = memory ? PEM_read_bio_X509(memory, NULL, NULL, NULL) : NULL;
    char *own = read ? fingerprint_of(read, function, "") : NULL;
    bool matches = own && strcmp(own, value) == 0;
    g_free(own);
    X509_free(read);
    BIO_free(memory);
    return matches;
}

void greenroom_hmac_sha1(const char *key, const char *text, uint8_t *code)
{
    HMAC(
        EVP_sha1(), key, (int)strlen(key), (const unsigned char *)text, strlen(text), code, NULL);
}
