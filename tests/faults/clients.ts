import { readSample } from '../helpers/samples.js';

/** Longer than the service's own deadline: what takes longer hangs. */
const hangMs = 45_000;
const detectors = 3;
/** Refusals that a killed process explains. */
const explained = ['CORE_UNAVAILABLE', 'SHUTTING_DOWN'];

/** Clients that work without a pause: some detect faces, one changes a company's score. */
export interface Clients {
  /** Starts them; the returned function lets each finish its request. */
  start(): () => Promise<void>;
  /** What went wrong since the last check: lost changes, hangs, refusals that no kill explains. */
  check(): Promise<string[]>;
  /** Requests so far by what came of them. */
  counts(): Readonly<Record<string, number>>;
}

export async function createClients(options: {
  readonly restUrl: string;
  readonly apiKey: string;
  readonly company: string;
  readonly password: string;
}): Promise<Clients> {
  const { restUrl, apiKey, company, password } = options;
  const picture = new Blob([Buffer.from(await readSample('astronaut.jpg'))]);
  const scoreUrl = `${restUrl}/v1/companies/${company}/detection-score`;
  const headers = { apikey: apiKey, 'x-company-password': password };
  const counts: Record<string, number> = { answered: 0, broken: 0, refused: 0 };
  let problems: string[] = [];
  let answeredChange = 0;
  let sentChange = 0;

  /** @returns the body of a 200, undefined when the request was broken off or refused. */
  const ask = async (url: string, init: RequestInit): Promise<unknown> => {
    try {
      const signal = AbortSignal.timeout(hangMs);
      const answer = await fetch(url, { ...init, signal });
      const body = (await answer.json()) as { reason?: string };
      if (answer.ok) {
        counts['answered'] = (counts['answered'] ?? 0) + 1;
        return body;
      }
      counts['refused'] = (counts['refused'] ?? 0) + 1;
      if (!explained.includes(body.reason ?? ''))
        problems.push(`status ${answer.status} ${body.reason} of ${url}`);
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') problems.push(`hang of ${url}`);
      counts['broken'] = (counts['broken'] ?? 0) + 1;
      // The process is gone: no need to ask in a tight loop.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return undefined;
  };

  const detect = async (): Promise<void> => {
    const body = new FormData();
    body.append('file', picture, 'a.jpg');
    await ask(`${restUrl}/face_detect_multi`, { method: 'POST', headers, body });
  };

  const change = async (): Promise<void> => {
    sentChange += 1;
    const number = sentChange;
    const done = await ask(scoreUrl, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ detection_score: number / 1e6 }),
    });
    if (done !== undefined) answeredChange = number;
  };

  return {
    start() {
      let stopped = false;
      const loop = async (work: () => Promise<void>): Promise<void> => {
        while (!stopped) await work();
      };
      const loops = [...Array<() => Promise<void>>(detectors).fill(detect), change].map(loop);
      return async () => {
        stopped = true;
        await Promise.all(loops);
      };
    },
    async check() {
      const found = (await ask(scoreUrl, { headers })) as { detection_score?: number } | undefined;
      const stored = Math.round((found?.detection_score ?? 0) * 1e6);
      // A change that was sent and not answered may have been stored or not.
      if (answeredChange > 0 && (stored < answeredChange || stored > sentChange))
        problems.push(`change ${answeredChange} was answered, ${stored} is stored`);
      const reported = problems;
      problems = [];
      return reported;
    },
    counts: () => counts,
  };
}
