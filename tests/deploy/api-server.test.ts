import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { type ApiServer, startApiServer } from '../helpers/kubernetes/api-server.js';
import { findKubernetes } from '../helpers/kubernetes/binaries.js';
import { createLifetime } from '../helpers/lifetime.js';
import { createTemporaryFolder } from '../helpers/temporary-folder.js';

// The manifests against a real API server, which says more than the schemas: what it refuses, and what it
// would change. Nothing runs the pods here; `make cluster` does.

const overlay = 'deploy/kubernetes/overlays/example';
const namespace = 'image-analysis';
const binaries = await findKubernetes();

interface PodTemplate {
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: { securityContext: object } } };
}

describe('the API server', { skip: typeof binaries === 'object' && binaries.skip }, () => {
  const lifetime = createLifetime();
  let folder: string;
  let server: ApiServer;
  const apply = () => server.kubectl(['apply', '--validate=strict', '--warnings-as-errors', '-k', overlay]);
  /** What stands on the server, with the number that each write changes. */
  const listVersions = async () => {
    const version = '{.kind}/{.metadata.name} {.metadata.resourceVersion}';
    const found = await server.kubectl([
      'get',
      '-k',
      overlay,
      '-o',
      `jsonpath={range .items[*]}${version}{"\\n"}{end}`,
    ]);
    return found.trim().split('\n');
  };

  before(async () => {
    folder = await createTemporaryFolder(lifetime);
    server = await startApiServer({
      ...{ binaries: binaries as string, folder, address: '127.0.0.1', port: 26_443, etcdPorts: [22_379, 22_380] },
      // No controller makes the account that each pod has.
      flags: ['--disable-admission-plugins=ServiceAccount'],
    });
    lifetime.after(() => server.close());
  });

  it('upgrades from the manifests of the commit before', async (t) => {
    const older = path.join(folder, 'older');
    mkdirSync(older);
    try {
      const tar = execFileSync('git', ['archive', 'HEAD~1', 'deploy/kubernetes'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      execFileSync('tar', ['-x', '-C', older], { input: tar });
    } catch {
      t.skip('this clone has no commit before');
      return;
    }
    await server.kubectl(['apply', '-k', path.join(older, overlay)]);
    await apply();
  });

  it('takes them strictly, without a warning, and finds nothing to change the second time', async () => {
    await apply();
    const before = await listVersions();
    assert.ok(before.length >= 12, before.join('\n'));
    await apply();
    assert.deepEqual(await listVersions(), before);
    // Ends with 1 where something differs.
    assert.equal(await server.kubectl(['diff', '-k', overlay]), '');
  });

  for (const name of ['core', 'facade'])
    it(`admits a pod of the ${name} under the restricted standard, and none that may be root`, async () => {
      const found = await server.kubectl(['-n', namespace, 'get', 'deployment', name, '-o', 'json']);
      const { template } = (JSON.parse(found) as PodTemplate).spec;
      const createPod = (spec: object) => {
        const metadata = { ...template.metadata, name: 'pod' };
        const pod = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
        return server.kubectl(['-n', namespace, 'create', '--dry-run=server', '-f', '-'], pod);
      };
      assert.match(await createPod(template.spec), /pod\/pod created/);
      await assert.rejects(createPod({ ...template.spec, securityContext: {} }), {
        stderr: /violates PodSecurity "restricted/,
      });
    });
});
