import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { Operation } from '../../generated/imageanalysis/v1/admin.js';
import { createLifetime } from '../helpers/lifetime.js';
import { createForm } from '../helpers/net/form.js';
import { readSample } from '../helpers/pictures/samples.js';
import { get, post } from '../helpers/service/rest-requests.js';
import { startService, type TestService } from '../helpers/service/service.js';

const lifetime = createLifetime();

interface Model {
  name: string;
  version: string;
}

describe('GET /v1/version', () => {
  let service: TestService;
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const manifest = JSON.parse(readFileSync('models/manifest.json', 'utf8')) as {
    serve: Record<string, string>;
    models: Model[];
  };

  before(async () => {
    service = await startService(lifetime);
  });

  it('says what is running to any key', async () => {
    const { secret } = await service.createKey({ operations: [Operation.METER_READING] });
    const { status, body } = await get<{ models: Model[] }>({ ...service, apiKey: secret }, '/v1/version');
    const served = new Set(Object.values(manifest.serve));
    const models = manifest.models
      .filter(({ name }) => served.has(name))
      .map(({ name, version }) => ({ name, version }));
    const { models: shown, ...rest } = body;
    assert.deepEqual([status, rest], [200, { message: 'success', version }]);
    const byName = (one: Model, other: Model) => one.name.localeCompare(other.name);
    assert.deepEqual(shown.sort(byName), models.sort(byName));
  });

  it('is not the only place: a reading has its model on request', async () => {
    const form = createForm(await readSample('meter.jpg'), { details: 'true' });
    const { body } = await post<{ model: Model }>(service, '/meter-number-ocr/file', form);
    const served = manifest.models.find(({ name }) => name === manifest.serve['meter']);
    assert.deepEqual(body.model, { name: served?.name, version: served?.version });
  });
});
