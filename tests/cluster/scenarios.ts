import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials as channel } from '@grpc/grpc-js';
import {
  type GetDetectionScoreResponse,
  ScoreConfigServiceClient,
} from '../../generated/imageanalysis/v1/score_config.js';
import { eventually } from '../helpers/eventually.js';
import { metadataWithKey, unaryCall } from '../helpers/net/grpc.js';
import { countDetections, type Pod, type Pods } from './pods.js';

/** What the scenarios work on: the service under load, with two facades, two cores and PostgreSQL. */
export interface Stage {
  readonly pods: Pods;
  readonly restUrl: string;
  readonly credentials: { readonly apiKey: string; readonly company: string; readonly password: string };
  readonly startMetricsServer: () => Promise<void>;
  /** Requests of this scenario that failed. */
  readonly countFailed: () => number;
}

export interface Scenario {
  readonly name: string;
  /** How many requests may fail, and for which reasons; none if absent. */
  readonly mayFail?: { readonly requests: number; readonly reasons: readonly string[] };
  /** @returns what was measured @throws Error if something else was not as it must be */
  run(stage: Stage): Promise<string>;
}

const changeMs = 300_000;
/** What the load has in flight at one time. */
const inFlight = 3;
const cut = ['ECONNRESET', 'UND_ERR_SOCKET'];

async function untilReady({ list }: Pods, app: string, count: number): Promise<Pod[]> {
  return await eventually(async () => {
    const pods = await list(app);
    return pods.length === count && pods.every(({ isReady }) => isReady) && pods;
  }, changeMs);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

function must(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what);
}

const setReplicas = ({ kubectl }: Pods, app: string, min: number, max: number) =>
  kubectl('patch', 'hpa', app, '-p', JSON.stringify({ spec: { minReplicas: min, maxReplicas: max } }));

const restart =
  (app: string) =>
  async ({ pods }: Stage) => {
    const seconds = await timed(async () => {
      await pods.kubectl('rollout', 'restart', `deployment/${app}`);
      await pods.kubectl('rollout', 'status', `deployment/${app}`, '--timeout=300s');
      await untilReady(pods, app, 2);
    });
    // The last of the old pods is still ending.
    await sleep(15_000);
    return `done in ${seconds.toFixed(0)} s`;
  };

const kill =
  (app: string) =>
  async ({ pods }: Stage) => {
    const [victim] = await pods.list(app);
    const seconds = await timed(async () => {
      await pods.kubectl('delete', 'pod', String(victim?.name), '--force', '--grace-period=0');
      await untilReady(pods, app, 2);
    });
    await sleep(5_000);
    must(seconds <= 30, `back to full after ${seconds.toFixed(0)} s, want 30 s`);
    return `back to full after ${seconds.toFixed(0)} s`;
  };

/** The processes that run this file, in whatever pod: they are in the namespace of this one. */
function findProcesses(file: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(file);
      } catch {
        return false;
      }
    });
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'core from 2 to 4',
    async run({ pods }) {
      const before = new Set((await pods.list('core')).map(({ name }) => name));
      await setReplicas(pods, 'core', 4, 4);
      const all = await untilReady(pods, 'core', 4);
      // From here on, since the pods' start is the image's matter.
      const seconds = await timed(() =>
        eventually(async () => {
          const counts = await Promise.all(all.filter(({ name }) => !before.has(name)).map(countDetections));
          return counts.every((count) => count > 0);
        }, 120_000),
      );
      const from = await Promise.all(all.map(countDetections));
      await sleep(10_000);
      const shares = (await Promise.all(all.map(countDetections))).map((count, index) => count - Number(from[index]));
      const total = shares.reduce((sum, share) => sum + share, 0);
      const said = `each new core serves ${seconds.toFixed(0)} s after it is ready, then ${shares.join(', ')} of ${total}`;
      must(seconds <= 35 && Math.min(...shares) >= total / 8, said);
      return said;
    },
  },
  {
    name: 'core from 4 to 2',
    async run({ pods }) {
      await setReplicas(pods, 'core', 2, 2);
      const seconds = await timed(() => untilReady(pods, 'core', 2));
      await sleep(40_000);
      return `done in ${seconds.toFixed(0)} s`;
    },
  },
  { name: 'rolling update of the core', run: restart('core') },
  { name: 'rolling update of the facade', run: restart('facade') },
  {
    name: 'a core killed',
    mayFail: { requests: inFlight, reasons: ['WORKER_LOST', 'CORE_UNAVAILABLE'] },
    run: kill('core'),
  },
  {
    name: 'the process of a core killed',
    mayFail: { requests: inFlight, reasons: ['WORKER_LOST', 'CORE_UNAVAILABLE'] },
    async run({ pods }) {
      const seconds = await timed(async () => {
        process.kill(findProcesses('dist/core-server/main.js')[0] ?? 0, 'SIGKILL');
        await eventually(async () => (await pods.list('core')).some(({ restarts }) => restarts > 0));
        await untilReady(pods, 'core', 2);
      });
      await sleep(5_000);
      must(seconds <= 30, `back to full after ${seconds.toFixed(0)} s, want 30 s`);
      return `back to full after ${seconds.toFixed(0)} s`;
    },
  },
  { name: 'a facade killed', mayFail: { requests: inFlight, reasons: cut }, run: kill('facade') },
  {
    name: 'drain within the disruption budget',
    async run({ pods }) {
      const listAll = async () => [...(await pods.list('core')), ...(await pods.list('facade'))];
      const before = await listAll();
      const drain = pods.kubectl(
        ...['drain', 'node', '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=300s'],
        '--pod-selector=app.kubernetes.io/name in (core, facade)',
      );
      const seconds = await timed(async () => {
        // There is one node, to which they also have to come back.
        const uncordon = (async () => {
          await sleep(2_000);
          await pods.kubectl('uncordon', 'node');
        })();
        await Promise.all([drain, uncordon]);
        for (const app of ['core', 'facade']) await untilReady(pods, app, 2);
      });
      const left = new Set((await listAll()).map(({ name }) => name));
      must(!before.some(({ name }) => left.has(name)), 'a pod stayed');
      await sleep(15_000);
      return `all four pods replaced in ${seconds.toFixed(0)} s`;
    },
  },
  {
    name: 'PostgreSQL restarted',
    mayFail: { requests: Number.POSITIVE_INFINITY, reasons: ['STORE_UNAVAILABLE'] },
    async run({ pods, countFailed }) {
      const earlier = await pods.list('core');
      const seconds = await timed(async () => {
        await pods.kubectl('delete', 'pod', 'postgres-0');
        await untilReady(pods, 'postgres', 1);
      });
      // A core that found it away waits a moment.
      await sleep(5_000);
      const failed = countFailed();
      await sleep(10_000);
      must(countFailed() === failed, 'requests fail though it is back');
      const restarts = (await pods.list('core')).map((pod) => pod.restarts);
      must(restarts.join() === earlier.map((pod) => pod.restarts).join(), 'a pod was restarted for it');
      return `away for ${seconds.toFixed(0)} s`;
    },
  },
  {
    name: 'a score set by one pod',
    async run({ pods, restUrl, credentials: { apiKey } }) {
      // Another company than the one whose score the load changes.
      const [core] = await pods.list('core');
      const name = 'cluster';
      const created = await pods.exec(
        String(core?.name),
        ...['node', 'dist/core-server/admin-cli.js', 'companies', 'create', name, '--json'],
      );
      const { password } = JSON.parse(created) as { password: string };
      const headers = { apikey: apiKey, 'x-company-password': password };
      for (const score of [0.31, 0.32, 0.33, 0.34, 0.35]) {
        const answer = await fetch(`${restUrl}/v1/companies/${name}/detection-score`, {
          method: 'PUT',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ detection_score: score }),
        });
        must(answer.status === 200, `status ${answer.status}`);
        for (const { address } of await pods.list('core')) {
          const client = new ScoreConfigServiceClient(`${address}:50051`, channel.createInsecure());
          const found = await unaryCall<GetDetectionScoreResponse>((done) =>
            client.getDetectionScore({ company: name, password }, metadataWithKey(apiKey), done),
          );
          client.close();
          must(found.detectionScore === score, `${address} has ${found.detectionScore}, want ${score}`);
        }
      }
      return 'the next request to every core has it, 5 times';
    },
  },
  {
    name: 'what the pods may do',
    async run({ pods }) {
      const script = `
        const { readFileSync, writeFileSync } = require('fs');
        const status = readFileSync('/proc/self/status', 'utf8');
        const of = (name) => new RegExp(name + ':\\\\s*(\\\\S+)').exec(status)[1];
        let root = 'writable';
        try { writeFileSync('/app/x', ''); } catch (error) { root = error.code; }
        console.log([process.getuid(), of('CapEff'), of('CapBnd'), of('NoNewPrivs'), of('Seccomp'), root].join(' '));`;
      for (const app of ['core', 'facade'])
        for (const { name } of await pods.list(app)) {
          const found = (await pods.exec(name, 'node', '-e', script)).trim();
          const none = '0'.repeat(16);
          must(found === `1000 ${none} ${none} 1 2 EROFS`, `${name}: ${found}`);
        }
      // A pod that no rule lets call the core.
      const [core] = await pods.list('core');
      const knock = `require('net').connect(50051, '${core?.address}')
        .once('connect', () => { console.log('open'); process.exit(); })
        .once('error', () => console.log('closed')).setTimeout(3000, () => { console.log('closed'); process.exit(); })`;
      const [postgres] = await pods.list('postgres');
      const policy = (await pods.exec(String(postgres?.name), 'node', '-e', knock)).trim();
      return `uid 1000, no capability, no new privileges, seccomp, read-only root; network policy ${
        policy === 'open' ? 'not enforced by this network' : 'enforced'
      }`;
    },
  },
  {
    name: 'autoscaling by processor time',
    async run({ pods, startMetricsServer }) {
      await startMetricsServer();
      await setReplicas(pods, 'core', 2, 3);
      const seconds = await timed(() => untilReady(pods, 'core', 3));
      const target = await pods.kubectl(
        ...['get', 'hpa', 'core', '-o'],
        'jsonpath={.status.currentMetrics[0].resource.current.averageUtilization}',
      );
      return `at ${target} % of the request, a third core is ready after ${seconds.toFixed(0)} s`;
    },
  },
];
