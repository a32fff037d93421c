#!/bin/sh
# Makes the certificates of a cluster in the folder `tls`: one that signs, whose key is then thrown
# away, and one with which scheduler, workers and `planet build` show each other that they belong to it.
# To make them anew, delete the folder, run this again, and start all of them again.
set -eu
mkdir tls
cd tls
openssl req -x509 -newkey rsa:3072 -noenc -days 1825 -subj "/CN=planet cluster" \
    -addext "keyUsage = critical, keyCertSign" -keyout ca.key -out ca.pem 2> /dev/null
openssl req -newkey rsa:3072 -noenc -subj "/CN=planet" -keyout key.pem -out request.pem 2> /dev/null
# All that Python 3.13 and later want to see in a certificate (RFC 5280).
cat > extensions << 'END'
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = DNS:scheduler
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
END
openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 1825 \
    -extfile extensions -out cert.pem 2> /dev/null
rm -f ca.key ca.srl request.pem extensions
# The user of the image reads it, who is another one than whoever runs this.
chmod 644 ca.pem cert.pem key.pem
