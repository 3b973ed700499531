import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Metric, Registry } from 'prom-client';
import { parse } from 'yaml';
import { createMetrics as createCoreMetrics } from '../../core-server/compose/metrics.js';
import { createMetrics as createFacadeMetrics } from '../../rest-facade/server/metrics.js';
import { codeOfReason } from '../../runtime/errors/reasons.js';

const page = await readFile('docs/observability.md', 'utf8');
const alerts = await readFile('deploy/prometheus/alerts.yaml', 'utf8');
/** What Prometheus adds: of histograms, and of the process that it scrapes. */
const prometheusLabels = ['le', 'instance'];

/** What the classes of prom-client keep, and their types leave out. */
type Described = Metric & { readonly name: string; readonly help: string; labelNames: string[] };

function registries(): Registry[] {
  const core = createCoreMetrics();
  core.watchPool(() => ({ queued: 0, running: 0, workers: 0, lost: 0 }));
  return [createFacadeMetrics(() => 0).registry, core.registry];
}

/** The rows that the page must have, in any order. */
function metricRows(): string[] {
  const metrics = registries().flatMap((registry) => registry.getMetricsAsArray() as unknown[]);
  const rows = (metrics as Described[]).map((metric) => {
    const labels = metric.labelNames.map((label) => `\`${label}\``).join(', ');
    const cells = [`\`${metric.name}\``, metric.constructor.name.toLowerCase(), labels, metric.help];
    return `| ${cells.join(' | ')} |`.replace('|  |', '| |');
  });
  return [...new Set(rows)].sort();
}

describe('docs/observability.md', () => {
  it('lists every metric, with its labels and what it says, and no other', () => {
    const rows = page.match(/^\| `imageanalysis_.*$/gm) ?? [];
    assert.deepEqual([...rows].sort(), metricRows(), `want\n${metricRows().join('\n')}\n`);
  });

  it('asks in PromQL for metrics and labels that exist', () => {
    const queries = [...page.matchAll(/```promql\n([^]*?)```/g)].map(([, text]) => text);
    assertAskable(queries.join('\n'));
  });
});

describe('the alert rules', () => {
  const { groups } = parse(alerts) as { groups: { rules: { expr: string }[] }[] };
  const queries = groups
    .flatMap(({ rules }) => rules)
    .map(({ expr }) => expr)
    .join('\n');

  it('asks for metrics and labels that exist', () => {
    assertAskable(queries);
  });

  it('asks for reasons that exist', () => {
    const reasons = [...queries.matchAll(/reason="(\w+)"/g)].map(([, reason = '']) => reason);
    assert.ok(reasons.length > 4);
    for (const reason of reasons) assert.ok(reason in codeOfReason, reason);
  });
});

function assertAskable(queries: string): void {
  const metrics = metricRows().join('\n');
  const names = [...queries.matchAll(/imageanalysis_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''));
  assert.ok(names.length > 8);
  for (const name of names) assert.ok(metrics.includes(`\`${name}\``), name);
  const matchers = [...queries.matchAll(/[{ (,](\w+)(?:=~|!~|!=|=)"/g)];
  const groupings = [...queries.matchAll(/\b(?:by|without) \(([^)]*)\)/g)];
  const labels = [
    ...matchers.map(([, label = '']) => label),
    ...groupings.flatMap(([, list = '']) => list.split(/, */)),
  ].filter((label) => !prometheusLabels.includes(label));
  assert.ok(labels.length > 6);
  for (const label of labels) assert.ok(metrics.includes(`\`${label}\``), label);
}
