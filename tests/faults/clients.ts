import { setTimeout as sleep } from 'node:timers/promises';
import { readSample } from '../helpers/pictures/samples.js';

/** Longer than the service's own deadline: what takes longer hangs. */
const hangMs = 45_000;
const detectors = 2;
/** Refusals that a killed process or a store without an answer explains. */
const explained = ['CORE_UNAVAILABLE', 'SHUTTING_DOWN', 'WORKER_LOST', 'STORE_UNAVAILABLE'];

/** Clients that work without a pause: some detect faces, one changes a company's score. */
interface Clients {
  /** Starts them; the returned function lets each finish its request. */
  start(): () => Promise<void>;
  /** Resolves when a detection that was sent after this call is answered, and a change has been read back. */
  untilAnswered(limitMs: number, after?: string): Promise<void>;
  /** What went wrong since the last call: lost changes, hangs, refusals that no kill explains. */
  problems(): string[];
}

export async function createClients(options: {
  readonly restUrl: string;
  readonly apiKey: string;
  readonly company: string;
  readonly password: string;
  /** Told what came of each request, and of one that failed why. */
  readonly count: (outcome: string, reason?: string) => void;
}): Promise<Clients> {
  const { restUrl, apiKey, company, password, count } = options;
  const picture = new Blob([Buffer.from(await readSample('astronaut.jpg'))]);
  const scoreUrl = `${restUrl}/v1/companies/${company}/detection-score`;
  const headers = { apikey: apiKey, 'x-company-password': password };
  let problems: string[] = [];
  let lastFailure = '';

  /** @returns the body of a 200, undefined when the request was broken off or refused. */
  const ask = async (url: string, init: RequestInit): Promise<unknown> => {
    const signal = AbortSignal.timeout(hangMs);
    try {
      const answer = await fetch(url, { ...init, signal });
      const body = (await answer.json()) as { reason?: string };
      if (answer.ok) {
        count('answered');
        return body;
      }
      count('refused', body.reason);
      lastFailure = `${answer.status} ${JSON.stringify(body)} of ${url}`;
      if (!explained.includes(body.reason ?? '')) problems.push(`status ${answer.status} ${body.reason} of ${url}`);
    } catch (error) {
      if (signal.aborted) problems.push(`hang of ${url}`);
      const { cause = error } = error as Error;
      count('broken', (cause as NodeJS.ErrnoException).code ?? String(cause));
      lastFailure = `${String(cause)} of ${url}`;
    }
    // The process is gone: no need to ask in a tight loop.
    await sleep(100);
    return undefined;
  };

  const detect = async (): Promise<boolean> => {
    const body = new FormData();
    body.append('file', picture, 'a.jpg');
    return (await ask(`${restUrl}/face_detect_multi`, { method: 'POST', headers, body })) !== undefined;
  };

  let stopped = false;
  let sent = 0;
  let answered = 0;
  let readBack = 0;
  /** Each change is read back before the next could hide that it was lost. */
  const changeAndRead = async (): Promise<void> => {
    sent += 1;
    const done = await ask(scoreUrl, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ detection_score: sent / 1e6 }),
    });
    if (done !== undefined) {
      answered = sent;
      count('changes answered');
    }
    let found: { detection_score: number } | undefined;
    while (!found && !stopped) found = (await ask(scoreUrl, { headers })) as typeof found;
    if (!found) return;
    readBack = answered;
    const stored = Math.round(found.detection_score * 1e6);
    // A change that was sent and not answered may have been stored or not.
    if (answered > 0 && (stored < answered || stored > sent))
      problems.push(`change ${answered} was answered, ${stored} is stored`);
  };

  return {
    start() {
      const loop = async (work: () => Promise<unknown>): Promise<void> => {
        while (!stopped) await work();
      };
      const loops = [...Array<typeof detect>(detectors).fill(detect), changeAndRead].map(loop);
      return async () => {
        stopped = true;
        await Promise.all(loops);
      };
    },
    async untilAnswered(limitMs, after = 'the start') {
      const giveUpAt = performance.now() + limitMs;
      const before = readBack;
      while (!(await detect()) || readBack === before)
        if (performance.now() > giveUpAt)
          throw new Error(
            `the service did not come back in ${limitMs} ms after ${after}: ${lastFailure}; ${problems.join(', ')}`,
          );
    },
    problems() {
      const reported = problems;
      problems = [];
      return reported;
    },
  };
}
