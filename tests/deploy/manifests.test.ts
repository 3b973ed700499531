import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { createConfig as createCoreConfig, settings as coreSettings } from '../../core-server/compose/config.js';
import { whichProcess } from '../../launcher/is-serving.js';
import { createConfig as createFacadeConfig, settings as facadeSettings } from '../../rest-facade/config.js';
import { nodeOptions } from '../../runtime/node-patches/v8-flags.js';
import { closeMs } from '../../runtime/process/launcher-channel.js';

// The deployment files against the code: settings that exist with values that are taken, ports that
// are listened on, files that are there.

interface Environment {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
    readonly resourceFieldRef?: { readonly resource: string };
  };
}
interface Probe {
  readonly grpc?: { readonly port: number };
  readonly httpGet?: { readonly path: string; readonly port: string };
}
interface Container {
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly Environment[];
  readonly resources: { readonly limits: Readonly<Record<string, string>> };
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}
interface Pod {
  readonly terminationGracePeriodSeconds: number;
  readonly containers: readonly [Container];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: { readonly spec: Pod };
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
  };
}

const base = 'deploy/kubernetes/base';
const dockerfile = readFileSync('deploy/Dockerfile', 'utf8');
/** What Node.js and glibc read. */
const foreignSettings = ['NODE_ENV', 'LD_PRELOAD'];
const databaseUrl = 'postgres://user:password@host/database';

function readManifests(file: string): Manifest[] {
  return parseAllDocuments(readFileSync(`${base}/${file}`, 'utf8')).map((document) => document.toJS() as Manifest);
}

function find(manifests: readonly Manifest[], kind: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind);
  assert.ok(found, `a ${kind} is missing`);
  return found;
}

function podOf(file: string): Pod {
  return find(readManifests(file), 'Deployment').spec.template.spec;
}

/** The variables of a container; a value out of a secret is replaced by a sound one. */
function environmentOf({ env, resources }: Container): Record<string, string> {
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => {
      const limit = valueFrom?.resourceFieldRef?.resource.replace('limits.', '');
      return [name, value ?? (limit === undefined ? databaseUrl : String(resources.limits[limit]))];
    }),
  );
}

function assertKnown(names: readonly string[], shape: object, where: string) {
  for (const name of names) assert.ok(name in shape, `${where} sets ${name}, which does not exist`);
}

describe('the Kubernetes manifests', () => {
  const [core] = podOf('core.yaml').containers;
  const [facade] = podOf('facade.yaml').containers;

  it('sets what exists, to values that are taken', () => {
    assertKnown(Object.keys(environmentOf(core)), coreSettings.shape, 'core.yaml');
    assertKnown(Object.keys(environmentOf(facade)), facadeSettings.shape, 'facade.yaml');
    createFacadeConfig(environmentOf(facade));
    assert.equal(createCoreConfig(environmentOf(core)).CORE_WORKERS, Number(core.resources.limits.cpu));
  });

  it('lets a facade finish what it has', () => {
    const { REST_SHUTDOWN_DELAY_MS, REST_SHUTDOWN_GRACE_MS, REST_REQUEST_TIMEOUT_MS } = createFacadeConfig(
      environmentOf(facade),
    );
    assert.ok(REST_SHUTDOWN_GRACE_MS >= REST_REQUEST_TIMEOUT_MS);
    const endsAfterMs = REST_SHUTDOWN_DELAY_MS + REST_SHUTDOWN_GRACE_MS + closeMs;
    assert.ok(podOf('facade.yaml').terminationGracePeriodSeconds * 1_000 > endsAfterMs);
  });

  it('names the ports that the processes listen on', () => {
    const coreConfig = createCoreConfig(environmentOf(core));
    assert.deepEqual(core.ports, [
      { name: 'grpc', containerPort: coreConfig.CORE_PORT },
      { name: 'metrics', containerPort: coreConfig.CORE_METRICS_PORT },
    ]);
    const facadeConfig = createFacadeConfig(environmentOf(facade));
    assert.deepEqual(facade.ports, [
      { name: 'http', containerPort: facadeConfig.REST_PORT },
      { name: 'metrics', containerPort: facadeConfig.REST_METRICS_PORT },
    ]);
    for (const probe of [core.startupProbe, core.readinessProbe, core.livenessProbe])
      assert.equal(probe.grpc?.port, core.ports[0]?.containerPort);
    for (const probe of [facade.startupProbe, facade.readinessProbe, facade.livenessProbe])
      assert.equal(probe.httpGet?.port, facade.ports[0]?.name);
    assert.equal(facade.readinessProbe.httpGet?.path, '/readyz');
  });

  it('leads the facade to the service of the core', () => {
    const service = find(readManifests('core.yaml'), 'Service');
    const [port] = service.spec.ports;
    assert.equal(port?.targetPort, core.ports[0]?.name);
    assert.equal(
      createFacadeConfig(environmentOf(facade)).REST_CORE_ADDRESS,
      `dns:///${service.metadata.name}:${port?.port}`,
    );
  });

  it('starts what is built, and lists files that are there', () => {
    for (const { args } of [core, facade]) for (const arg of args) assert.ok(existsSync(arg), arg);
    const { resources } = parse(readFileSync(`${base}/kustomization.yaml`, 'utf8')) as { resources: string[] };
    for (const resource of resources) assert.ok(existsSync(`${base}/${resource}`), resource);
  });

  it('takes the database address from the secret that the example makes', () => {
    const example = 'deploy/kubernetes/overlays/example';
    const { secretGenerator } = parse(readFileSync(`${example}/kustomization.yaml`, 'utf8')) as {
      secretGenerator: [{ name: string; envs: [string] }];
    };
    const wanted = core.env.find(({ name }) => name === 'DATABASE_URL')?.valueFrom?.secretKeyRef;
    assert.equal(secretGenerator[0].name, wanted?.name);
    const line = readFileSync(`${example}/${secretGenerator[0].envs[0]}`, 'utf8').trim();
    assert.ok(line.startsWith(`${wanted?.key}=`));
    createCoreConfig({ DATABASE_URL: line.slice(`${wanted?.key}=`.length) });
  });
});

describe('the compose file', () => {
  const { services } = parse(readFileSync('deploy/compose.yaml', 'utf8')) as {
    services: Record<
      'core' | 'facade',
      {
        command: [string];
        environment: Record<string, string>;
        ports?: string[];
        read_only: boolean;
        ulimits: { core: number };
        logging: { driver: string };
      }
    >;
  };

  it('lets no container write a file, a core dump with keys and pictures, or a log without bound', () => {
    for (const { read_only: isReadOnly, ulimits, logging } of [services.core, services.facade])
      assert.deepEqual(
        { isReadOnly, ulimits, logging },
        { isReadOnly: true, ulimits: { core: 0 }, logging: { driver: 'local' } },
      );
  });

  it('sets what exists, to values that are taken', () => {
    const { core, facade } = services;
    assertKnown(Object.keys(core.environment), coreSettings.shape, 'compose.yaml');
    assertKnown(Object.keys(facade.environment), facadeSettings.shape, 'compose.yaml');
    const { CORE_PORT: port } = createCoreConfig(core.environment);
    const config = createFacadeConfig(facade.environment);
    assert.equal(config.REST_CORE_ADDRESS, `dns:///core:${port}`);
    assert.deepEqual(facade.ports, [`127.0.0.1:8080:${config.REST_PORT}`]);
    for (const { command } of [core, facade]) assert.ok(existsSync(command[0]), command[0]);
  });
});

test('the unit of systemd starts what npm start does, sets what exists, and takes rights away', () => {
  const unit = readFileSync('deploy/systemd/image-analysis.service', 'utf8');
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const valuesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);
  assert.deepEqual(valuesOf('ExecStart'), [scripts['start']?.replace('exec node', '/usr/bin/node')]);
  assert.deepEqual(valuesOf('Environment'), ['CORE_DATA_DIR=/var/lib/image-analysis']);
  assertKnown(['CORE_DATA_DIR'], coreSettings.shape, 'image-analysis.service');
  assert.deepEqual(valuesOf('CapabilityBoundingSet'), ['']);
  assert.deepEqual(valuesOf('SystemCallFilter'), ['@system-service']);
});

describe('the Dockerfile', () => {
  it('sets what exists, and names the ports that are listened on', () => {
    const [, environment = ''] = /^ENV ([^]*?[^\\])\n/m.exec(dockerfile) ?? [];
    const names = [...environment.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name);
    assert.ok(names.length > 3);
    const ours = names.filter((name) => !foreignSettings.includes(name));
    assertKnown(ours, { ...coreSettings.shape, ...facadeSettings.shape }, 'Dockerfile');
    const exposed = /^EXPOSE (.*)$/m.exec(dockerfile)?.[1];
    assert.equal(exposed, `${createFacadeConfig({}).REST_PORT} ${createCoreConfig({}).CORE_PORT}`);
  });

  it('has threads for as many processors as the documents say', () => {
    const threads = Number(/UV_THREADPOOL_SIZE=(\d+)/.exec(dockerfile)?.[1]);
    const text = readFileSync('docs/operating.md', 'utf8');
    const said = /with (\d+) threads, which\s+are\s+enough\s+for\s+(\d+) CPU cores/.exec(text);
    assert.deepEqual(said?.slice(1).map(Number), [threads, threads / 2]);
  });

  it('runs Node.js as the launcher does, but not as the first process, which could not kill itself', () => {
    const entrypoint = /^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '';
    assert.deepEqual(JSON.parse(entrypoint), ['tini', '--', 'node', ...nodeOptions]);
    assert.match(dockerfile, /apt-get install .* tini /);
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const run = ['exec node', ...nodeOptions].join(' ');
    assert.equal(scripts['start:core'], `${run} dist/core-server/main.js`);
    assert.equal(scripts['start:rest'], `${run} dist/rest-facade/main.js`);
  });

  it('asks the health of what the container was started for', () => {
    const listOf = (instruction: string) =>
      JSON.parse(new RegExp(`${instruction} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '') as string[];
    const healthCheck = /^HEALTHCHECK [^]*?\n {2}CMD (.*)$/m.exec(dockerfile)?.[1] ?? '';
    assert.deepEqual(JSON.parse(healthCheck), ['node', 'dist/launcher/health-main.js']);
    // It gives up by itself, and must have started before that.
    assert.doesNotMatch(dockerfile, /--timeout/);
    const entrypoint = listOf('^ENTRYPOINT');
    const asked = [...listOf('^CMD'), 'dist/core-server/main.js', 'dist/rest-facade/main.js'].map((main) =>
      whichProcess([...entrypoint, main, ''].join('\0')),
    );
    assert.deepEqual(asked, ['facade', 'core', 'facade']);
  });

  it('runs what is built', () => {
    const scripts = dockerfile.match(/dist\/[\w/-]+\.js/g) ?? [];
    assert.ok(scripts.length >= 3);
    for (const script of scripts) assert.ok(existsSync(script), script);
  });

  it('takes the licence, every program without its tests, and every model that is served', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, names = '']) => names.split(' '));
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    const { include } = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as { include: string[] };
    for (const folder of [...include, 'LICENSE']) {
      const isWanted = !['tests', 'bench'].includes(folder);
      assert.equal(copied.includes(folder), isWanted, `${folder} in the Dockerfile`);
      assert.equal(ignored.includes(`!${folder}`), isWanted, `${folder} in .dockerignore`);
    }
    // What reflection tells, and what resizes pictures.
    for (const file of ['descriptors.binpb', 'weighted-sums.wasm'])
      assert.ok(copied.includes(`generated/${file}`), `${file} is not copied`);
    const { models } = JSON.parse(readFileSync('models/manifest.json', 'utf8')) as {
      models: { graphs: { file: string }[] }[];
    };
    for (const { file } of models.flatMap(({ graphs }) => graphs)) {
      const pattern = `models/${file.replace(/[^/]+$/, '*')}.onnx`;
      assert.ok(copied.includes(pattern), `models/${file} is not copied`);
      assert.ok(ignored.includes(`!${pattern}`), `models/${file} is hidden by .dockerignore`);
    }
  });
});
