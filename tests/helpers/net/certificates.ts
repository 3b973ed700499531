import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { generate } from 'selfsigned';
import { createTemporaryFolder } from '../temporary-folder.js';

/** A certificate for 127.0.0.1 and localhost, and its key: PEM texts and the files that hold them. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** An authority of the tests: nobody else believes it. */
export interface Authority extends Identity {
  /** Signs a certificate that may be a server's or a client's. */
  issue(name: string): Promise<Identity>;
}

/** Makes an authority whose files are removed after the test. */
export async function createAuthority(t: Pick<TestContext, 'after'>): Promise<Authority> {
  const folder = await createTemporaryFolder(t);
  const store = async (name: string, cert: string, key: string): Promise<Identity> => {
    const [certFile, keyFile] = [path.join(folder, `${name}.crt`), path.join(folder, `${name}.key`)];
    await writeFile(certFile, cert);
    await writeFile(keyFile, key, { mode: 0o600 });
    return { cert, key, certFile, keyFile };
  };
  const common = { keyType: 'ec', algorithm: 'sha256' } as const;
  const root = await generate([{ name: 'commonName', value: 'authority of the tests' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return {
    ...(await store('authority', root.cert, root.private)),
    async issue(name) {
      const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
        ...common,
        ca: { key: root.private, cert: root.cert },
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
          {
            name: 'subjectAltName',
            altNames: [
              { type: 2, value: 'localhost' },
              { type: 7, ip: '127.0.0.1' },
            ],
          },
        ],
      });
      return await store(name, cert, key);
    },
  };
}
