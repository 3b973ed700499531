import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { createLifetime } from '../../helpers/lifetime.js';
import { createForm } from '../../helpers/net/form.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { startScripted } from '../../helpers/service/scripted-service.js';
import { startService, type TestService } from '../../helpers/service/service.js';

const lifetime = createLifetime();
const company = { name: 'secretcorp', password: 'hunter2hunter2' };

describe('the metrics', () => {
  let service: TestService;

  before(async () => {
    service = await startService(lifetime, { CORE_METRICS_PORT: '0', REST_METRICS_PORT: '0' });
    await service.createCompany(company.name, company.password);
    const post = async (path: string, picture: 'astronaut.jpg' | 'meter.jpg', key = service.apiKey) => {
      const fields = path.startsWith('/face') ? { company: company.name } : {};
      const body = createForm(await readSample(picture), fields, 'private-name.jpg');
      const answer = await fetch(service.rest + path, { method: 'POST', body, headers: { apikey: key } });
      await answer.arrayBuffer();
    };
    await post('/face_detect_single', 'astronaut.jpg');
    await post('/face_detect_multi', 'astronaut.jpg');
    await post('/meter-number-ocr/file', 'meter.jpg');
    await post('/face_detect_single', 'astronaut.jpg', 'ia_wrong');
    await (await fetch(`${service.rest}/secret-path-of-a-caller`)).arrayBuffer();
    const login = `company=${company.name}&password=${company.password}`;
    await (
      await fetch(`${service.rest}/face_config_score?detection&${login}`, { headers: { apikey: service.apiKey } })
    ).arrayBuffer();
  });

  const read = async (process: 'core' | 'facade') => {
    const answer = await fetch(`http://127.0.0.1:${service.metricsPorts[process]}/metrics`);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    return answer.text();
  };
  /** The value of a series; undefined where there is none. */
  const valueOf = (text: string, series: string): number | undefined => {
    const line = text.split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.split(' ').at(-1));
  };

  it('of the facade count requests by operation, status and reason', async () => {
    const text = await read('facade');
    const count = (operation: string, status: number, reason: string) =>
      valueOf(
        text,
        `imageanalysis_rest_requests_total{operation="${operation}",status="${status}",reason="${reason}"}`,
      );
    assert.equal(count('POST /face_detect_single', 200, 'OK'), 1);
    assert.equal(count('POST /face_detect_single', 401, 'INVALID_API_KEY'), 1);
    assert.equal(count('GET /face_config_score', 200, 'OK'), 1);
    assert.equal(count('other', 404, 'NO_SUCH_ROUTE'), 1);
    assert.equal(valueOf(text, 'imageanalysis_rest_request_seconds_count{operation="POST /face_detect_single"}'), 2);
    assert.match(text, /imageanalysis_build_info\{component="facade",version="\d+\.\d+\.\d+/);
    assert.match(text, /^process_resident_memory_bytes \d+/m);
  });

  it('of the core count calls, the queue, models, faces and readings', async () => {
    const text = await read('core');
    const calls = (method: string, code: string, reason: string) =>
      valueOf(
        text,
        `imageanalysis_core_requests_total{method="imageanalysis.v1.${method}",code="${code}",reason="${reason}"}`,
      );
    assert.equal(calls('FaceDetectionService/DetectSingleFace', 'OK', 'OK'), 1);
    assert.equal(calls('FaceDetectionService/DetectSingleFace', 'UNAUTHENTICATED', 'INVALID_API_KEY'), 1);
    assert.equal(calls('MeterReadingService/ReadMeter', 'OK', 'OK'), 1);
    // Each once: two that made key and company, and five of the facade.
    const counts = Array.from(text.matchAll(/^imageanalysis_core_requests_total\{.* (\d+)$/gm), ([, count]) => count);
    assert.deepEqual(counts, Array(7).fill('1'));
    assert.equal(valueOf(text, 'imageanalysis_tasks_total{task="detectFaces",reason="OK"}'), 2);
    assert.equal(valueOf(text, 'imageanalysis_queue_wait_seconds_count{task="detectFaces"}'), 2);
    assert.equal(valueOf(text, 'imageanalysis_queue_depth'), 0);
    assert.equal(valueOf(text, 'imageanalysis_workers'), 1);
    assert.equal(valueOf(text, 'imageanalysis_faces_found_count'), 2);
    assert.equal(valueOf(text, 'imageanalysis_faces_found_sum'), 2);
    assert.equal(valueOf(text, 'imageanalysis_meter_confidence_count'), 1);
    for (const model of ['face-detector', 'meter-locate', 'meter-refine', 'meter-read', 'meter-mark']) {
      const spent = valueOf(text, `imageanalysis_inference_seconds_sum{model="${model}"}`);
      assert.ok(spent !== undefined && spent > 0, model);
    }
  });

  it('name no key, company, password, address or file of a caller', async () => {
    const text = (await read('core')) + (await read('facade'));
    const [, id = ''] = service.apiKey.split('_');
    for (const secret of [
      service.apiKey,
      id,
      company.name,
      company.password,
      'private-name',
      'secret-path',
      '127.0.0.1',
    ])
      assert.ok(!text.includes(secret), secret);
  });

  it('have every name that the dashboard asks for, and no other of ours', async () => {
    const text = (await read('core')) + (await read('facade'));
    const dashboard = await readFile(
      new URL('../../../../deploy/grafana/image-analysis.json', import.meta.url),
      'utf8',
    );
    const { panels } = JSON.parse(dashboard) as { panels: { targets: { expr: string }[] }[] };
    const names = panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => expr.match(/\b(imageanalysis|process|nodejs)_\w+/g) ?? []),
    );
    assert.ok(names.length > 15);
    for (const name of names) assert.match(text, new RegExp(`^${name}[ {]`, 'm'), `the dashboard asks for ${name}`);
    for (const [, name = ''] of text.matchAll(/^# TYPE (imageanalysis_\w+)/gm))
      assert.ok(
        names.some((asked) => asked === name || asked === `${name}_bucket`),
        `the dashboard shows no ${name}`,
      );
  });

  it('are off unless a port is set', async (t) => {
    const { service: plain } = await startScripted(t);
    assert.deepEqual(plain.metricsPorts, { core: undefined, facade: undefined });
  });
});
