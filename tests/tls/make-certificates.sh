#!/usr/bin/env bash
# Writes into the folder $1 an authority and a certificate of localhost, as public authorities make them:
# ca.crt, server.crt, server.key. Needs openssl.
set -euo pipefail
cd "$1"
key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
openssl req -x509 "${key[@]}" -keyout ca.key -out ca.crt -days 30 -subj '/CN=authority of the check' \
  -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign 2>/dev/null
openssl req "${key[@]}" -keyout server.key -out server.csr -subj '/CN=localhost' 2>/dev/null
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out server.crt \
  -extfile <(printf '%s\n' subjectAltName=DNS:localhost basicConstraints=CA:FALSE \
    extendedKeyUsage=serverAuth subjectKeyIdentifier=hash authorityKeyIdentifier=keyid) 2>/dev/null
