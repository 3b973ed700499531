import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { launch } from '../../launcher/launch.js';
import { createLaunchSettings } from '../../launcher/launch-settings.js';
import { exitCodeOf, exitCodes } from '../../runtime/process/exit-codes.js';
import { createRestClient, type RestClientOptions } from '../../sdk/typescript/rest.js';
import { annotate } from '../annotate/annotate.js';
import { printable } from '../printable.js';
import { readKey } from '../read-key.js';
import { analyse } from './analyse.js';
import { chooseTargets } from './choose-targets.js';
import { isRefused, summarise, toAnnotations } from './describe.js';

const usage = `Analyses pictures, and writes annotated copies and the responses as JSON.

  make demo                                                     # the samples
  make demo ARGS="a.jpg b.jpg"
  APIKEY=… make demo ARGS="--rest http://127.0.0.1:8080 a.jpg"  # with a running service

Without --rest, it starts a temporary service on free ports, with a database that it deletes.

  --rest URL      address of a running service; set its key in the variable APIKEY
  --out FOLDER    where to write; default: out
`;

const abort = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    abort.abort(new Error('stopped'));
  });
// Nobody reads on, or the disk is full: what was begun is ended properly.
process.stdout.on('error', (error) => abort.abort(error));

try {
  await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`demo: ${message.split('\n').map(printable).join('\n')}\n`);
  process.exitCode = exitCodeOf(error);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rest: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  const files = positionals.length > 0 ? positionals : await samples();
  const out = values.out ?? 'out';
  const targets = await chooseTargets(files, out);
  await mkdir(out, { recursive: true });
  if (values.rest === undefined) {
    await withOwnService((service) => analyseAll(service, files, targets));
    return;
  }
  await analyseAll({ url: values.rest, apiKey: readKey(process.env) }, files, targets);
}

async function samples(): Promise<string[]> {
  const names = await readdir('samples');
  return names.filter((name) => name.endsWith('.jpg')).map((name) => path.join('samples', name));
}

async function analyseAll(
  service: RestClientOptions,
  files: readonly string[],
  targets: readonly string[],
) {
  const client = createRestClient(service);
  for (const [index, file] of files.entries()) {
    abort.signal.throwIfAborted();
    const picture = await readFile(file);
    const analysis = await analyse(client, picture, abort.signal);
    const target = targets[index] ?? '';
    await writeFile(`${target}.json`, `${JSON.stringify(analysis, undefined, 2)}\n`);
    if (isRefused(analysis)) {
      say(`${file}: ${summarise(analysis)}; wrote ${target}.json`);
      process.exitCode = exitCodes.failed;
      continue;
    }
    await writeFile(`${target}.jpg`, await annotate(picture, toAnnotations(analysis)));
    say(`${file}: ${summarise(analysis)}; wrote ${target}.jpg and .json`);
  }
}

function say(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

/** A service on free ports with a temporary database, whatever the user's own settings say. */
async function withOwnService(use: (service: RestClientOptions) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'image-analysis-demo-'));
  try {
    const env = {
      ...process.env,
      ...blanked(/^(CORE|REST)_(CORE_)?(METRICS|TLS)_/),
      CORE_HOST: '127.0.0.1',
      CORE_PORT: '0',
      CORE_ADMIN_KEY: '',
      CORE_DATA_DIR: dataDir,
      DATABASE_URL: '',
      CORE_LOG_LEVEL: 'error',
      REST_HOST: '127.0.0.1',
      REST_PORT: '0',
      REST_CORE_ADDRESS: '',
      REST_LOG_LEVEL: 'error',
    };
    const service = await launch({
      settings: createLaunchSettings(env),
      env,
      log: (line) => process.stderr.write(`demo: ${line}\n`),
      signal: abort.signal,
    });
    try {
      await use({ url: service.restUrl, apiKey: service.demo?.apiKey ?? '' });
    } finally {
      await service.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The user's own settings with these names, blanked out. */
function blanked(names: RegExp): Record<string, string> {
  const found = Object.keys(process.env).filter((name) => names.test(name));
  return Object.fromEntries(found.map((name) => [name, '']));
}
