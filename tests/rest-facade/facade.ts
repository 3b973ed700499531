import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { createConfig } from '../../rest-facade/config.js';
import { startRestFacade } from '../../rest-facade/server/start-rest-facade.js';
import { createForm } from '../helpers/net/form.js';
import { holdAnswers } from './answers.js';
import { type FakeCore, type Script, startFakeCore } from './fake-core.js';

/** A facade under test. */
export interface TestFacade {
  readonly url: string;
  readonly port: number;
  readonly facade: Awaited<ReturnType<typeof startRestFacade>>;
  /** Everything logged so far, as text. */
  readonly logged: () => string;
}

/** Starts a facade on a free port before a core at that port; ended with the test. */
export async function startFacade(
  t: Pick<TestContext, 'after'>,
  corePort: number,
  env: Record<string, string> = {},
): Promise<TestFacade> {
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
  const config = createConfig({
    REST_PORT: '0',
    REST_CORE_ADDRESS: `127.0.0.1:${corePort}`,
    REST_SHUTDOWN_GRACE_MS: '200',
    ...env,
  });
  const facade = await startRestFacade({ config, log });
  t.after(() => facade.close());
  return { url: `http://127.0.0.1:${facade.port}`, port: facade.port, facade, logged: () => lines.join('') };
}

/** A facade before a scripted core. */
export async function startBoth(
  t: Pick<TestContext, 'after'>,
  script: Script,
  env: Record<string, string> = {},
): Promise<TestFacade & { core: FakeCore }> {
  const core = await startFakeCore(t, script);
  return { ...(await startFacade(t, core.port, env)), core };
}

/** A facade before a core that answers nothing until it is told to. */
export async function startHeld(t: TestContext, env: Record<string, string> = {}) {
  const { script, ...held } = holdAnswers();
  return { ...(await startBoth(t, script, env)), ...held };
}

/** The metrics of a facade that was started with a port for them, as text. */
export async function readMetrics({ metricsPort }: TestFacade['facade']): Promise<string> {
  return (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
}

/** Bytes of bodies and responses that it holds, by its metrics. */
export async function readHeldBytes(facade: TestFacade['facade']): Promise<number> {
  return Number(/^imageanalysis_rest_buffered_bytes (\d+)$/m.exec(await readMetrics(facade))?.[1]);
}

/** The headers of a caller with a key. */
export const withKey = { apikey: 'key-of-the-tests' };

/** Sends a file to `POST /face_detect_single`, and form fields beside it. */
export function detectFace(url: string, file = Buffer.from('x'), fields: Record<string, string> = {}) {
  return fetch(`${url}/face_detect_single`, { method: 'POST', headers: withKey, body: createForm(file, fields) });
}

/** An error body. */
export interface ErrorBody {
  message: string;
  code: string;
  reason: string;
  request_id: string;
  details: Record<string, string>;
}

/** Status and reason, what most tests of refusals look at. */
export async function readRefusal(
  answer: Response,
): Promise<{ status: number; reason: string; details: Record<string, string> }> {
  const { reason, details } = (await answer.json()) as ErrorBody;
  return { status: answer.status, reason, details };
}
