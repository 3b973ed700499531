import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { isGrpcServing, isHttpServing } from '../../launcher/is-serving.js';
import { launch } from '../../launcher/launch.js';
import { findFreePorts } from '../../launcher/ports.js';
import { closeMs } from '../../runtime/process/launcher-channel.js';
import { eventually } from '../helpers/eventually.js';
import { listen } from '../helpers/net/listen.js';
import { isAlive, writeProgram } from './stand-ins.js';

const nodeModules = new URL('../../../node_modules/', import.meta.url).href;

const core = `
import grpc from '${nodeModules}@grpc/grpc-js/build/src/index.js';
import health from '${nodeModules}grpc-health-check/build/src/health.js';
const server = new grpc.Server();
new health.HealthImplementation({ '': 'SERVING' }).addToServer(server);
server.bindAsync('127.0.0.1:' + process.env.CORE_PORT, grpc.ServerCredentials.createInsecure(), () => {
  process.send({ type: 'serving', isStoreNew: true });
});
process.on('message', () => server.forceShutdown());`;

const facade = `
import { createServer } from 'node:http';
createServer((request, response) => {
  response.statusCode = request.url === '/readyz' ? 200 : 404;
  response.end(JSON.stringify({ pid: process.pid, core: process.env.REST_CORE_ADDRESS }));
}).listen(Number(process.env.REST_PORT), '127.0.0.1', () => process.send({ type: 'serving' }));
process.on('message', () => process.exit(0));`;

const neverServes = `process.on('message', () => process.exit(0)); setInterval(() => {}, 1000);`;

const demo = { apiKey: 'k', company: 'demo', password: 'p' };

const graceMs = 1_000;
const anyPorts = {
  ...process.env,
  CORE_PORT: '0',
  CORE_SHUTDOWN_GRACE_MS: String(graceMs),
  REST_PORT: '0',
  REST_SHUTDOWN_GRACE_MS: String(graceMs),
};

async function launchStandIns(
  t: TestContext,
  programs: { core?: string; facade?: string } = {},
  options: Pick<Parameters<typeof launch>[0], 'registerDemo' | 'startTimeoutMs' | 'backoffMs'> & {
    env?: NodeJS.ProcessEnv;
    signal?: AbortSignal;
  } = {},
) {
  const [coreFile, facadeFile] = await Promise.all([
    writeProgram(t, programs.core ?? core),
    writeProgram(t, programs.facade ?? facade),
  ]);
  const lines: string[] = [];
  const service = await launch({
    env: anyPorts,
    signal: new AbortController().signal,
    log: (line) => lines.push(line),
    files: { core: coreFile, facade: facadeFile },
    registerDemo: () => Promise.resolve(demo),
    ...options,
  });
  t.after(() => {
    service.kill();
  });
  return { service, lines };
}

describe('launch', () => {
  it('serves both, tells the facade where the core is, and stops both', async (t) => {
    const { service } = await launchStandIns(t);
    assert.deepEqual(service.demo, demo);
    const response = await fetch(`${service.restUrl}/readyz`);
    const { pid, core: address } = (await response.json()) as { pid: number; core: string };
    assert.equal(address, service.grpcAddress);
    await service.stop();
    assert.ok(!isAlive(pid));
    assert.equal(await isGrpcServing(service.grpcAddress), false);
  });

  it('gives a process time to kill itself before it does', async (t) => {
    const hangs = facade.replace('process.exit(0)', '{}');
    const { service, lines } = await launchStandIns(t, { facade: hangs });
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const stopped = service.stop();
    t.mock.timers.tick(graceMs + closeMs);
    assert.deepEqual(lines, []);
    t.mock.timers.tick(60_000);
    assert.deepEqual(lines, ['facade did not end in 11000 ms; killed it']);
    await stopped;
  });

  it('registers no demo in a store that had a key', async (t) => {
    const usedCore = core.replace('isStoreNew: true', 'isStoreNew: false');
    const { service } = await launchStandIns(t, { core: usedCore });
    assert.equal(service.demo, undefined);
    await service.stop();
  });

  for (const name of ['core', 'facade'] as const)
    it(`starts the ${name} again on the same port when it is killed`, async (t) => {
      const { service, lines } = await launchStandIns(t);
      const first = service.pids()[name];
      process.kill(Number(first), 'SIGKILL');
      await eventually(() => service.pids()[name] !== first && service.pids()[name]);
      assert.deepEqual(lines, [`${name} ended (SIGKILL); starting it again in 250 ms`]);
      const { grpcAddress, restUrl } = service;
      await eventually(() => (name === 'core' ? isGrpcServing(grpcAddress) : isHttpServing(`${restUrl}/readyz`)));
      await service.stop();
    });

  it('says which port is taken, and by what to choose another', async (t) => {
    const port = await listen(t, createServer());
    await assert.rejects(launchStandIns(t, {}, { env: { ...anyPorts, REST_PORT: String(port) } }), {
      message: `listen EADDRINUSE: address already in use 127.0.0.1:${port}; set REST_PORT or REST_HOST to another`,
    });
  });

  it('says that two listeners want the same port', async (t) => {
    const [port = 0] = await findFreePorts(1);
    const [CORE_PORT, REST_PORT] = [`${port}`, `${port}`];
    const env = { ...anyPorts, CORE_HOST: '0.0.0.0', CORE_PORT, REST_PORT };
    await assert.rejects(launchStandIns(t, {}, { env }), {
      message: `listen EADDRINUSE: address already in use 127.0.0.1:${port}; set REST_PORT or REST_HOST to another`,
    });
  });

  it('lets two listeners have the same port of two addresses', async (t) => {
    const [port = 0] = await findFreePorts(1);
    const CORE_PORT = String(port);
    const { service } = await launchStandIns(
      t,
      { facade: facade.replace("'127.0.0.1'", "'127.0.0.2'") },
      { env: { ...anyPorts, CORE_PORT, REST_PORT: CORE_PORT, REST_HOST: '127.0.0.2' } },
    );
    assert.deepEqual([service.grpcAddress, service.restUrl], [`127.0.0.1:${port}`, `http://127.0.0.2:${port}`]);
    await service.stop();
  });

  it('says that an address is not one of this machine', async (t) => {
    // The other has no interface, or there is no IPv6.
    for (const host of ['192.0.2.1', 'fe80::1']) {
      const env = { ...anyPorts, CORE_HOST: host, CORE_PORT: '1234' };
      const said = /^listen E[A-Z]+: .*:1234; set CORE_PORT or CORE_HOST to another$/;
      await assert.rejects(launchStandIns(t, {}, { env }), { message: said });
    }
  });

  it('says so when a process cannot be started again', async (t) => {
    const marker = path.join(path.dirname(await writeProgram(t, '')), 'started');
    // Starts once, never again.
    const facadeOnce = `import { existsSync, writeFileSync } from 'node:fs';
if (existsSync(${JSON.stringify(marker)})) process.exit(7);
writeFileSync(${JSON.stringify(marker)}, '');
${facade}`;
    const { service } = await launchStandIns(t, { facade: facadeOnce }, { backoffMs: 10 });
    const failure = assert.rejects(service.failure, {
      message: 'the facade exits every time it is started (exit code 7); stopping',
    });
    const response = await fetch(`${service.restUrl}/readyz`);
    process.kill(((await response.json()) as { pid: number }).pid, 'SIGKILL');
    await failure;
    await service.stop();
  });

  it('says which process exited during startup, and stops the other', async (t) => {
    const beacon = createServer();
    const port = await listen(t, beacon);
    // Connected for as long as the facade lives.
    const closed = new Promise((resolve) => {
      beacon.once('connection', (socket) => socket.resume().once('close', resolve).on('error', resolve));
    });
    const marker = JSON.stringify(path.join(path.dirname(await writeProgram(t, '')), 'connected'));
    const programs = {
      core: `import { existsSync } from 'node:fs';
setInterval(() => existsSync(${marker}) && process.exit(2), 10);`,
      facade: `import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
const socket = connect(${port}, '127.0.0.1', () => writeFileSync(${marker}, ''));
process.on('message', () => socket.destroy());`,
    };
    await assert.rejects(launchStandIns(t, programs), {
      message: 'the core exited during startup (exit code 2); its lines above say why',
    });
    await closed;
  });

  it('gives up on a service that does not come to serve', async (t) => {
    const programs = { facade: neverServes };
    await assert.rejects(launchStandIns(t, programs, { startTimeoutMs: 1_000 }), {
      message: 'the service does not answer after 1000 ms',
    });
  });

  it('stops a start under way when told to', async (t) => {
    const stopping = new AbortController();
    const programs = { facade: neverServes };
    const launched = launchStandIns(t, programs, { signal: stopping.signal });
    setTimeout(() => {
      stopping.abort();
    }, 500);
    await assert.rejects(launched, { name: 'AbortError' });
  });

  it('stops both when the demo cannot be registered, in the store of the core', async (t) => {
    let port = '';
    const registerDemo = (env: NodeJS.ProcessEnv) => {
      port = env['CORE_PORT'] ?? '';
      return Promise.reject(new Error('the store is locked'));
    };
    await assert.rejects(launchStandIns(t, {}, { registerDemo }), { message: 'the store is locked' });
    assert.equal(await isGrpcServing(`127.0.0.1:${port}`), false);
  });
});
