import { chown, mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClients } from '../faults/clients.js';
import { stop } from '../helpers/command-line.js';
import { eventually } from '../helpers/eventually.js';
import { measurements } from './measurements.js';
import { startCluster } from './node.js';
import { createPods } from './pods.js';
import { type Scenario, scenarios, type Stage } from './scenarios.js';

// Run by inside.sh, in the namespaces of the cluster: all processes end with this one.

const [work = '', binaries = '', images = '', cgroups = ''] = process.argv.slice(2);
const only = new RegExp(process.env.SCENARIOS ?? '');
if (![...scenarios, ...measurements, { name: 'load' }].some(isChosen)) stop(`no scenario is named ${only.source}`);

/** Requests of the load, by what came of them. */
const total = { requests: 0, failed: 0 };
let failures = new Map<string, number>();
let sent = 0;
let isWrong = false;

const cluster = await startCluster({ work, binaries, images, cgroups });
const pods = createPods(cluster);
const stage: Stage = { pods, ...(await setUp()), startMetricsServer: cluster.startMetricsServer, countFailed };
const clients = await createClients({
  ...stage.credentials,
  restUrl: stage.restUrl,
  count(outcome, reason) {
    if (outcome === 'changes answered') return;
    sent += 1;
    if (outcome === 'answered') return;
    const what = reason ?? outcome;
    failures.set(what, (failures.get(what) ?? 0) + 1);
  },
});
const endLoad = clients.start();
await clients.untilAnswered(60_000);
if (isChosen({ name: 'load' })) report('load, a minute alone', await measureLoad());
for (const scenario of scenarios.filter(isChosen)) await play(scenario);
// What hangs, hangs until now.
await play({ name: 'end of the load', run: () => endLoad().then(() => 'stopped') });
for (const measurement of measurements.filter(isChosen)) await play(measurement);
process.stdout.write(`cluster: ${total.requests} requests, ${total.failed} failed\n`);
process.exit(isWrong ? 1 : 0);

function isChosen({ name }: Pick<Scenario, 'name'>): boolean {
  return only.test(name);
}

async function play(scenario: Scenario): Promise<void> {
  const { requests = 0, reasons = [] } = scenario.mayFail ?? {};
  let said: string;
  try {
    said = await scenario.run(stage);
  } catch (error) {
    isWrong = true;
    said = `WRONG: ${error instanceof Error ? error.message : String(error)}`;
  }
  const failed = countFailed();
  const wrong = [...clients.problems(), ...[...failures.keys()].filter((reason) => !reasons.includes(reason))];
  if (failed > requests || wrong.length > 0) {
    isWrong = true;
    said += ` WRONG: at most ${requests} may fail${wrong.length > 0 ? `, and not by ${wrong.join(', ')}` : ''}`;
  }
  report(scenario.name, said);
}

function countFailed(): number {
  return [...failures.values()].reduce((sum, count) => sum + count, 0);
}

/** Applies the overlay, and waits until the service has answered. */
async function setUp(): Promise<Pick<Stage, 'restUrl' | 'credentials'>> {
  const data = '/var/lib/cluster-postgres';
  await mkdir(data);
  await chown(data, 1000, 1000);
  await eventually(() => cluster.kubectl(['-n', 'default', 'get', 'serviceaccount', 'default']).catch(() => false));
  const startedAt = performance.now();
  await cluster.kubectl(['apply', '--validate=strict', '-k', 'tests/cluster/overlay']);
  for (const app of ['core', 'facade']) await pods.untilReady(app, 2);
  const { key: apiKey = '' } = await pods.admin('keys', 'create', '--label', 'demo');
  const { name: company = '', password = '' } = await pods.admin('companies', 'create', 'demo');
  const credentials: Stage['credentials'] = { apiKey, company, password };
  const address = await pods.kubectl('get', 'service', 'facade', '-o', 'jsonpath={.spec.clusterIP}');
  const restUrl = `http://${address}`;
  await eventually(async () => (await fetch(`${restUrl}/readyz`)).ok);
  const seconds = (performance.now() - startedAt) / 1000;
  const all = [...(await pods.list('core')), ...(await pods.list('facade'))];
  const restarts = all.reduce((sum, pod) => sum + pod.restarts, 0);
  isWrong ||= seconds > 120 || restarts > 0;
  report('apply from nothing', `serves after ${seconds.toFixed(0)} s, ${restarts} restarts`);
  return { restUrl, credentials };
}

async function measureLoad(): Promise<string> {
  const [from, startedAt] = [sent, performance.now()];
  await sleep(60_000);
  return `${(((sent - from) * 1000) / (performance.now() - startedAt)).toFixed(0)} requests a second`;
}

/** Prints a line, and begins to count anew. */
function report(name: string, said: string): void {
  const failed = [...failures].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const counts = `${sent} requests, ${failed || '0'} failed`;
  process.stdout.write(`${name}: ${counts}; ${said}\n`);
  total.requests += sent;
  total.failed += countFailed();
  sent = 0;
  failures = new Map();
}
