import { execFile } from 'node:child_process';
import { access, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The folder in which `tests/cluster/binaries.sh` keeps what it builds.
 *
 * @returns why there is none, if something that an API server needs is missing
 */
export async function findKubernetes(): Promise<string | { readonly skip: string }> {
  const lock = await readFile('tests/cluster/kubernetes/go.mod', 'utf8');
  const version = /k8s\.io\/kubernetes v(\S+)/.exec(lock)?.[1];
  const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
  const folder = path.join(cache, 'image-analysis', `kubernetes-${version}`, 'bin');
  try {
    for (const name of ['kube-apiserver', 'kubectl']) await access(path.join(folder, name));
  } catch {
    return { skip: `Kubernetes ${version} is not built here: tests/cluster/binaries.sh api` };
  }
  const etcd = await run('etcd', ['--version']).catch(() => undefined);
  return etcd ? folder : { skip: 'etcd is not installed' };
}
