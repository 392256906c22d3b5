/* SPDX-License-Identifier: Apache-2.0
 *
 * What the listener hands to libmicrohttpd, so that a connection is shown the certificate that was read last.
 */
#ifndef HTTP_CERTIFICATE_USE_H
#define HTTP_CERTIFICATE_USE_H

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

/* A gnutls_certificate_retrieve_function3. */
int certificate_show(gnutls_session_t session, const struct gnutls_cert_retr_st *asked, gnutls_pcert_st **chain, unsigned *count,
    gnutls_ocsp_data_st **ocsp, unsigned *ocsp_count, gnutls_privkey_t *key, unsigned *flags);

#endif
