import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, type Service } from './launch.js';
import { createLaunchSettings } from './launch-settings.js';
import { readyLine, welcomeText } from './welcome.js';

const abort = new AbortController();
let service: Service | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!abort.signal.aborted) {
      abort.abort();
      return;
    }
    // Asked twice. What is left of the children sees its channel close and leaves as well.
    service?.kill();
    process.exit(1);
  });
}

const log = (line: string) => process.stderr.write(`launcher: ${line}\n`);

try {
  const settings = createLaunchSettings(process.env);
  service = await launch({ settings, env: process.env, log, signal: abort.signal });
  const root = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));
  const dataDir = process.env['CORE_DATA_DIR'] && path.resolve(process.env['CORE_DATA_DIR']);
  process.stdout.write(`${welcomeText(service, { root, dataDir })}\n${readyLine(service)}\n`);

  await waitForAbort(abort.signal);
  log('stopping');
  await service.stop();
} catch (error) {
  if (!abort.signal.aborted) {
    log(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
}
