import assert from 'node:assert/strict';
import { json } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { loadTracing, type Tracing } from '../../../runtime/observe/tracing.js';
import { collectLog, type LogEntry } from '../../helpers/collect-log.js';
import { startCollector } from '../../helpers/net/trace-collector.js';

/** What the SDK sends at once, without waiting for more. */
const spansOfBatch = 512;

/** Traces to a collector that takes none. */
async function traceToClosed(t: TestContext) {
  const url = await startCollector(t, (request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(401).end('who are you?'));
  });
  const logged = collectLog();
  process.env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] = url;
  return { ...logged, tracing: await loadTracing('image-analysis-core', logged.log) };
}

function addSpan(tracing: Tracing): void {
  tracing.start('x', undefined, 'server').end({ failed: false, attributes: {} });
}

const problemOf = ({ problem, code, msg }: LogEntry) => ({ problem, code, msg });
const unauthorized = { problem: 'Unauthorized', code: 401, msg: 'problem with traces' };

test('spans that the collector does not take leave a line in a minute, when they are sent or at the end', async (t) => {
  const first = await traceToClosed(t);
  for (let i = 0; i < spansOfBatch; i += 1) addSpan(first.tracing);
  await first.waitFor(() => true);
  addSpan(first.tracing);
  await first.tracing.close();
  assert.deepEqual(first.entries.map(problemOf), [unauthorized]);

  const second = await traceToClosed(t);
  addSpan(second.tracing);
  await second.tracing.close();
  assert.deepEqual(second.entries.map(problemOf), [unauthorized]);
});

test('a variable that the SDK ignores leaves a line', async (t) => {
  process.env['OTEL_TRACES_SAMPLER'] = 'bogus';
  t.after(() => delete process.env['OTEL_TRACES_SAMPLER']);
  const { tracing, entries } = await traceToClosed(t);
  await tracing.close();
  assert.match(String(entries[0]?.['problem']), /OTEL_TRACES_SAMPLER value "bogus" invalid/);
});

/** What a collector gets as JSON. */
interface Export {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly { name: string; status: { code: number } }[] }[];
  }[];
}

test('of two spans, the one that failed has the status of an error', async (t) => {
  const bodies: Promise<unknown>[] = [];
  const url = await startCollector(t, (request, response) => {
    bodies.push(json(request));
    request.once('end', () => response.end('{}'));
  });
  process.env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] = url;
  const tracing = await loadTracing('image-analysis-core', collectLog().log);
  for (const failed of [true, false])
    tracing.start(failed ? 'failed' : 'well', undefined, 'server').end({ failed, attributes: {} });
  await tracing.close();
  const sent = (await Promise.all(bodies)) as Export[];
  const spans = sent.flatMap(({ resourceSpans: [resource] }) => resource?.scopeSpans[0]?.spans ?? []);
  assert.deepEqual(
    spans.map(({ name, status }) => [name, status.code]),
    [
      ['failed', 2],
      ['well', 0],
    ],
  );
});
