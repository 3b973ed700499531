import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadTracing, noTracing } from '../../../runtime/observe/tracing.js';
import { collectLog } from '../../helpers/collect-log.js';
import { createForm } from '../../helpers/net/form.js';
import { startCollector } from '../../helpers/net/trace-collector.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { startService } from '../../helpers/service/service.js';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number;
  readonly doubleValue?: number;
}

interface ExportedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Value }[];
}

/** What an OTLP collector gets as JSON. */
interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ExportedSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<ExportedSpan, 'service'>[] }[];
  }[];
}

test('a request is one trace through facade, core and worker, without a secret', async (t) => {
  const spans: ExportedSpan[] = [];
  let raw = '';
  const url = await startCollector(t, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      raw += body;
      for (const { resource, scopeSpans } of (JSON.parse(body) as Export).resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
        for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, service })));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  const { log, entries } = collectLog();
  process.env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] = url;
  const tracing = {
    core: await loadTracing('image-analysis-core', log),
    facade: await loadTracing('image-analysis-facade', log),
  };
  const service = await startService(t, {}, undefined, undefined, tracing);
  await service.createCompany('secretcorp', 'hunter2hunter2');

  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const body = createForm(await readSample('astronaut.jpg'), {}, 'private.jpg');
  const detected = await fetch(`${service.rest}/face_detect_single`, {
    method: 'POST',
    body,
    headers: { apikey: service.apiKey, traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  });
  assert.equal(detected.status, 200);
  const login = 'company=secretcorp&password=hunter2hunter2';
  const shown = await fetch(`${service.rest}/face_config_score?detection&${login}`, {
    headers: { apikey: service.apiKey },
  });
  assert.equal(shown.status, 200);
  await shown.arrayBuffer();
  const waitedMs = 5_000;
  const late = tracing.facade.start('late', undefined, 'server', performance.now() - waitedMs);
  late.end({ failed: false, attributes: {} });
  await tracing.facade.close();
  await tracing.core.close();
  assert.deepEqual(entries, []);

  const ofRequest = spans.filter((span) => span.traceId === traceId);
  const find = (name: string) => ofRequest.find((span) => span.name === name);
  const rest = find('POST /face_detect_single');
  const call = find('imageanalysis.v1.FaceDetectionService/DetectSingleFace');
  const task = find('detectFaces');
  assert.equal(ofRequest.length, 3);
  assert.deepEqual(
    [rest?.service, call?.service, task?.service],
    ['image-analysis-facade', 'image-analysis-core', 'image-analysis-core'],
  );
  assert.deepEqual(
    [rest?.parentSpanId, call?.parentSpanId, task?.parentSpanId],
    ['00f067aa0ba902b7', rest?.spanId, call?.spanId],
  );
  const infer = task?.attributes.find(({ key }) => key === 'imageanalysis.step.infer_ms')?.value;
  assert.ok((infer?.doubleValue ?? infer?.intValue ?? 0) > 0);

  assert.ok(spans.some(({ name }) => name === 'imageanalysis.v1.ScoreConfigService/GetDetectionScore'));
  const [{ startTimeUnixNano: from = 0, endTimeUnixNano: to = 0 } = {}] = spans.filter(({ name }) => name === 'late');
  assert.ok(Number(BigInt(to) - BigInt(from)) >= waitedMs * 1e6, `${from} to ${to}`);
  for (const secret of [service.apiKey, 'secretcorp', 'hunter2', 'private.jpg', '127.0.0.1'])
    assert.ok(!raw.includes(secret), secret);
});

test('without an endpoint a trace is only handed on, and only where it is well formed', () => {
  const good = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  for (const known of [good, good.replace(/^00/, 'cc'), `${good.replace(/^00/, '01')}-more`])
    assert.equal(noTracing.start('x', known, 'server').traceparent, good, known);
  for (const bad of [
    undefined,
    '',
    'x',
    good.toUpperCase(),
    good.replace(/^00/, 'ff'),
    `${good}-more`,
    `${good.replace(/^00/, '01')}more`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  ])
    assert.equal(noTracing.start('x', bad, 'server').traceparent, undefined, bad);
});
