import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../eventually.js';

const run = promisify(execFile);
/** A loaded machine of two cores takes half a minute. */
const startMs = 120_000;

/** A Kubernetes API server with its etcd; nothing runs the pods that it is told of. */
export interface ApiServer {
  /** For its other clients: controllers, a node. */
  readonly kubeconfig: string;
  /** @returns what it printed @throws Error of execFile, with `code`, `stdout` and `stderr` */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  close(): Promise<void>;
}

interface ApiServerOptions {
  /** Of `findKubernetes`. */
  readonly binaries: string;
  /** Empty; keeps data, keys and logs. */
  readonly folder: string;
  readonly address: string;
  readonly port: number;
  readonly etcdPorts: readonly [number, number];
  readonly flags?: readonly string[];
}

/** @throws Error with the place of its log if it does not come up */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { binaries, folder, address, port, etcdPorts, flags = [] } = options;
  const file = (name: string) => path.join(folder, name);
  const children: ChildProcess[] = [];
  const start = (name: string, command: string, args: readonly string[]) => {
    const log = openSync(file(`${name}.log`), 'a');
    children.push(spawn(command, args, { stdio: ['ignore', log, log], cwd: folder }));
  };
  const close = async () => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  };

  const [etcd, peers] = etcdPorts.map((number) => `http://127.0.0.1:${number}`);
  start('etcd', 'etcd', [
    ...['--data-dir', file('etcd'), '--listen-client-urls', String(etcd), '--advertise-client-urls', String(etcd)],
    ...['--listen-peer-urls', String(peers), '--initial-advertise-peer-urls', String(peers)],
    ...['--initial-cluster', `default=${peers}`],
  ]);

  const token = randomBytes(16).toString('hex');
  writeFileSync(file('tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  writeFileSync(file('accounts.key'), privateKey, { mode: 0o600 });
  const kubeconfig = file('kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(describeAccess(`https://${address}:${port}`, token)), { mode: 0o600 });

  start('kube-apiserver', path.join(binaries, 'kube-apiserver'), [
    ...[`--etcd-servers=${etcd}`, `--bind-address=${address}`, `--advertise-address=${address}`],
    ...[`--secure-port=${port}`, `--cert-dir=${file('certificates')}`],
    ...[`--token-auth-file=${file('tokens.csv')}`, '--authorization-mode=RBAC'],
    ...[
      `--service-account-key-file=${file('accounts.key')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
    ],
    ...[`--service-account-signing-key-file=${file('accounts.key')}`, '--service-cluster-ip-range=10.96.0.0/16'],
    ...flags,
  ]);

  const kubectl = async (args: readonly string[], input?: string) => {
    const told = run(path.join(binaries, 'kubectl'), [...args], {
      env: { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: file('kubectl') },
      maxBuffer: 2 ** 26,
    });
    told.child.stdin?.end(input);
    return (await told).stdout;
  };
  try {
    await eventually(() => {
      const ended = children.find(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
      if (ended) throw new Error(`${ended.spawnfile} ended, see its log in ${folder}`);
      return kubectl(['get', '--raw', '/readyz']).catch(() => false as const);
    }, startMs);
  } catch (error) {
    await close();
    throw error;
  }
  return { kubeconfig, kubectl, close };
}

/** A kubeconfig; the server makes its own certificate, and nobody else can be at its address. */
function describeAccess(server: string, token: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  };
}
