import { eventually } from '../helpers/eventually.js';
import type { ApiServer } from '../helpers/kubernetes/api-server.js';

const changeMs = 300_000;

/** A pod that is not about to end. */
export interface Pod {
  readonly name: string;
  readonly address: string;
  readonly isReady: boolean;
  readonly restarts: number;
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
    readonly status: {
      readonly podIP?: string;
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
      readonly containerStatuses?: readonly { readonly restartCount: number }[];
    };
  }[];
}

/** kubectl in the namespace of the service, and what it says of its pods. */
export interface Pods {
  readonly kubectl: (...args: string[]) => Promise<string>;
  /** @param app `core`, `facade` or `postgres` */
  readonly list: (app: string) => Promise<Pod[]>;
  /** Waits until there are so many of them, all ready. */
  readonly untilReady: (app: string, count: number) => Promise<Pod[]>;
  /** Waits until those that are about to end are gone. */
  readonly untilEnded: (app: string) => Promise<void>;
  readonly exec: (pod: string, ...command: string[]) => Promise<string>;
  /** Runs the admin command in a core. @returns what it prints as JSON */
  readonly admin: (...args: string[]) => Promise<Record<string, string>>;
}

export function createPods(server: Pick<ApiServer, 'kubectl'>): Pods {
  const kubectl = (...args: string[]) => server.kubectl(['-n', 'image-analysis', ...args]);
  const listAll = async (app: string) => {
    const found = await kubectl('get', 'pods', '-l', `app.kubernetes.io/name=${app}`, '-o', 'json');
    return (JSON.parse(found) as PodList).items;
  };
  const isEnding = ({ metadata }: PodList['items'][number]) => metadata.deletionTimestamp !== undefined;
  const list = async (app: string) => {
    const all = await listAll(app);
    return all
      .filter((pod) => !isEnding(pod))
      .map(({ metadata, status }) => ({
        name: metadata.name,
        address: status.podIP ?? '',
        isReady: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
        restarts: status.containerStatuses?.[0]?.restartCount ?? 0,
      }));
  };
  const exec = (pod: string, ...command: string[]) => kubectl('exec', pod, '--', ...command);
  return {
    kubectl,
    list,
    exec,
    async admin(...args) {
      const printed = await exec('deploy/core', 'node', 'dist/core-server/admin-cli.js', ...args, '--json');
      return JSON.parse(printed) as Record<string, string>;
    },
    untilReady: (app, count) =>
      eventually(async () => {
        const pods = await list(app);
        return pods.length === count && pods.every(({ isReady }) => isReady) && pods;
      }, changeMs),
    async untilEnded(app) {
      await eventually(async () => !(await listAll(app)).some(isEnding), changeMs);
    },
  };
}

/** How many faces a core has been asked for. */
export async function countDetections({ address }: Pod): Promise<number> {
  const answer = await fetch(`http://${address}:9091/metrics`, { signal: AbortSignal.timeout(5_000) });
  const lines = (await answer.text()).match(/^imageanalysis_core_requests_total\{.*Detect.*$/gm) ?? [];
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
