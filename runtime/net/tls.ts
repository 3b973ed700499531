import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import tls from 'node:tls';
import { ConfigError } from '../errors/config-error.js';

/** A certificate chain and its private key, PEM. */
export interface Identity {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * Reads a certificate chain and its key, each given by its setting and file, if both are configured, and restricts the
 * ciphers.
 * @throws ConfigError naming the settings whose files cannot be used
 */
export async function readIdentity(
  [certName, certFile]: readonly [setting: string, file: string | undefined],
  [keyName, keyFile]: readonly [setting: string, file: string | undefined],
): Promise<Identity | undefined> {
  if (certFile === undefined || keyFile === undefined) return undefined;
  const cert = await readCertificates(certName, certFile);
  const key = await readPem(keyName, keyFile, 'PRIVATE KEY');
  try {
    tls.createSecureContext({ cert, key });
    // Of different kinds, such as RSA and ECDSA, it takes both, and then no client can connect.
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('key type mismatch');
  } catch (cause) {
    throw new ConfigError(
      `${certName} is ${JSON.stringify(certFile)} and ${keyName} is ${JSON.stringify(keyFile)}: want a certificate and its private key without a passphrase; OpenSSL says ${String(cause)}`,
    );
  }
  // For the whole process from now on, since grpc-js takes a list of its own only from the environment.
  tls.DEFAULT_CIPHERS = ciphers.join(':');
  return { cert, key };
}

const certificates = /^-----BEGIN ([A-Z0-9]+ )*CERTIFICATE-----[^-]*(-----END [^-]+-----\s*$)?/gm;

/** @throws ConfigError naming the setting whose file cannot be read, has no certificate, or one that is cut off */
export async function readCertificates(setting: string, file: string): Promise<Buffer> {
  const pem = await readPem(setting, file, 'CERTIFICATE');
  try {
    // Node.js leaves out what it cannot read of an authority, and then trusts nobody.
    for (const [certificate] of pem.toString('latin1').matchAll(certificates)) new X509Certificate(certificate);
  } catch (cause) {
    throw new ConfigError(
      `${setting} is ${JSON.stringify(file)}: want a PEM file with whole certificates; OpenSSL says ${String(cause)}`,
    );
  }
  return pem;
}

/** Reads a PEM file; only once, so a renewed file takes effect at the next start. */
async function readPem(setting: string, file: string, what: 'CERTIFICATE' | 'PRIVATE KEY'): Promise<Buffer> {
  const wish = `want a PEM file with a ${what.toLowerCase()}`;
  // No private key in the log.
  if (file.includes('-----BEGIN')) throw new ConfigError(`${setting} is set to a text in PEM: ${wish}`);
  const pem = await readFile(file).catch((cause: Error) => {
    throw new ConfigError(`${setting} is ${JSON.stringify(file)}: ${wish}; ${cause.message}`);
  });
  // OpenSSL takes an empty file for no certificates, and an empty CA for one that nobody has.
  if (new RegExp(`^-----BEGIN ([A-Z0-9]+ )*${what}-----`, 'm').test(pem.toString('latin1'))) return pem;
  throw new ConfigError(`${setting} is ${JSON.stringify(file)}: ${wish}`);
}

/**
 * TLS 1.3, and the TLS 1.2 suites with authenticated encryption and forward secrecy: "intermediate" of
 * https://wiki.mozilla.org/Security/Server_Side_TLS.
 */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];
