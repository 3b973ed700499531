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

/** What the load has in flight at one time. */
const inFlight = 3;
const cut = ['ECONNRESET', 'UND_ERR_SOCKET'];

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

/** Waits until each core gets a fair share of the requests. @returns when it was so, and what each got in 5 s */
async function untilShared(cores: readonly Pod[]): Promise<{ seconds: number; shares: string }> {
  const startedAt = performance.now();
  return await eventually(async () => {
    const seconds = (performance.now() - startedAt) / 1000;
    const from = await Promise.all(cores.map(countDetections));
    await sleep(5_000);
    const to = await Promise.all(cores.map(countDetections));
    const shares = to.map((count, index) => count - Number(from[index]));
    const fair = shares.reduce((sum, share) => sum + share, 0) / cores.length;
    // A core that only one of two facades knows would get half.
    return Math.min(...shares) > fair * 0.75 && { seconds, shares: shares.join(', ') };
  }, 120_000);
}

export function must(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what);
}

export const setReplicas = ({ kubectl }: Pods, app: string, min: number, max: number) =>
  kubectl('patch', 'hpa', app, '-p', JSON.stringify({ spec: { minReplicas: min, maxReplicas: max } }));

const restart =
  (app: string) =>
  async ({ pods }: Stage) => {
    const seconds = await timed(async () => {
      await pods.kubectl('rollout', 'restart', `deployment/${app}`);
      await pods.kubectl('rollout', 'status', `deployment/${app}`, '--timeout=300s');
      await pods.untilReady(app, 2);
    });
    await pods.untilEnded(app);
    return `done in ${seconds.toFixed(0)} s`;
  };

const kill =
  (app: string) =>
  async ({ pods }: Stage) => {
    const [victim] = await pods.list(app);
    const seconds = await timed(async () => {
      await pods.kubectl('delete', 'pod', String(victim?.name), '--force', '--grace-period=0');
      await pods.untilReady(app, 2);
    });
    const { seconds: more } = await untilShared(await pods.list('core'));
    must(seconds <= 30, `back to full after ${seconds.toFixed(0)} s, want 30 s`);
    return `back to full after ${seconds.toFixed(0)} s, each core takes its share ${more.toFixed(0)} s later`;
  };

/** @returns which of the places, by name, the pod gets a connection to, in order */
async function findReachable({ exec }: Pods, pod: string, places: Record<string, string>): Promise<string[]> {
  const script = `
    for (const [name, address] of Object.entries(JSON.parse(process.argv[1]))) {
      const [host, port] = address.split(':');
      const socket = require('net').connect({ host, port, timeout: 3000 }, () => { console.log(name); socket.destroy(); });
      socket.once('timeout', () => socket.destroy()).once('error', () => undefined);
    }`;
  const found = await exec(pod, 'node', '-e', script, JSON.stringify(places));
  return found.split('\n').filter(Boolean).sort();
}

/** The process that runs this file in the pod, whose processes are in the namespace of this one. */
export function findProcess(pod: Pod, file: string): number | undefined {
  return readdirSync('/proc')
    .map(Number)
    .find((pid) => {
      try {
        const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0');
        const command = read('cmdline');
        // Not the first process of the container, which starts it.
        return command[0] === 'node' && command.includes(file) && read('environ').includes(`HOSTNAME=${pod.name}`);
      } catch {
        return false;
      }
    });
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'core from 2 to 4',
    async run({ pods }) {
      await setReplicas(pods, 'core', 4, 4);
      const all = await pods.untilReady('core', 4);
      // From here on, since the pods' start is the image's matter.
      const { seconds, shares } = await untilShared(all);
      const said = `${seconds.toFixed(0)} s after they are ready, the new cores take their share: ${shares} in 5 s`;
      must(seconds <= 35, `${said}, want 35 s`);
      return said;
    },
  },
  {
    name: 'core from 4 to 2',
    async run({ pods }) {
      await setReplicas(pods, 'core', 2, 2);
      const seconds = await timed(async () => {
        await pods.untilReady('core', 2);
        await pods.untilEnded('core');
      });
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
      const [victim] = await pods.list('core');
      const pid = victim && findProcess(victim, 'dist/core-server/main.js');
      if (pid === undefined) throw new Error('no process of a core was found');
      const seconds = await timed(async () => {
        process.kill(pid, 'SIGKILL');
        await eventually(async () => (await pods.list('core')).some(({ restarts }) => restarts > 0));
        await pods.untilReady('core', 2);
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
        for (const app of ['core', 'facade']) await pods.untilReady(app, 2);
      });
      const left = new Set((await listAll()).map(({ name }) => name));
      must(!before.some(({ name }) => left.has(name)), 'a pod stayed');
      for (const app of ['core', 'facade']) await pods.untilEnded(app);
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
        await pods.untilReady('postgres', 1);
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
      const name = 'cluster';
      const { password = '' } = await pods.admin('companies', 'create', name);
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
      return 'uid 1000, no capability, no new privileges, seccomp, read-only root';
    },
  },
  {
    name: 'network policies',
    async run({ pods }) {
      const places: Record<string, string> = {};
      const listening = { core: [50051, 50052, 9091], facade: [8080, 9092], postgres: [5432] };
      for (const [app, ports] of Object.entries(listening)) {
        const pod = (await pods.list(app)).at(-1);
        for (const port of ports) places[`${app}:${port}`] = `${pod?.address}:${port}`;
      }
      const pairs: string[] = [];
      /** The first pod of an app gets connections to these places, and to none of the others. */
      const check = async (who: string, app: string, ...wanted: string[]) => {
        const [from] = await pods.list(app);
        let found: string[] = [];
        const isSo = async () => {
          found = await findReachable(pods, String(from?.name), places);
          return found.join() === wanted.join();
        };
        // The node takes a change over after a moment.
        await eventually(isSo).catch(() => must(false, `${who} reaches ${found.join()}, want ${wanted.join()}`));
        pairs.push(`${who} to ${wanted.join(', ')}`);
      };
      await check('core', 'core', 'postgres:5432');
      await check('facade', 'facade', 'core:50051');
      // No policy is about this pod, so it is what a neighbour is.
      await check('a neighbour', 'postgres', 'facade:8080', 'postgres:5432');
      await pods.kubectl('label', 'pod', 'postgres-0', 'image-analysis/calls-core=true');
      await check('who calls the core', 'postgres', 'core:50051', 'facade:8080', 'postgres:5432');
      await pods.kubectl('label', 'pod', 'postgres-0', 'image-analysis/calls-core-');
      await pods.kubectl('label', 'namespace', 'image-analysis', 'image-analysis/monitoring=true');
      await check('monitoring', 'postgres', 'core:9091', 'facade:8080', 'facade:9092', 'postgres:5432');
      await pods.kubectl('label', 'namespace', 'image-analysis', 'image-analysis/monitoring-');
      return `enforced: only ${pairs.join('; ')}`;
    },
  },
  {
    name: 'autoscaling by processor time',
    async run({ pods, startMetricsServer }) {
      await startMetricsServer();
      await setReplicas(pods, 'core', 2, 3);
      const seconds = await timed(() => pods.untilReady('core', 3));
      const target = await pods.kubectl(
        ...['get', 'hpa', 'core', '-o'],
        'jsonpath={.status.currentMetrics[0].resource.current.averageUtilization}',
      );
      return `at ${target} % of the request, a third core is ready after ${seconds.toFixed(0)} s`;
    },
  },
];
