import { constants } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { launch } from '../../launcher/launch.js';
import { createRestClient, RefusedError, type RestClientOptions } from '../../sdk/typescript/rest.js';
import { annotate } from '../annotate/annotate.js';
import { printable, readKey, runCommand, warn, whyUnreadable } from '../run-command.js';
import { analyse, isRefused, summarise, toAnnotations } from './analysis.js';
import { chooseTargets } from './choose-targets.js';

const usage = `Analyses pictures, and writes annotated copies and the responses as JSON.

  make demo                                                     # the samples
  make demo ARGS="a.jpg b.jpg"
  APIKEY=… make demo ARGS="--rest http://127.0.0.1:8080 a.jpg"  # with a running service

Without --rest, it starts a temporary service on free ports, with a database that it deletes.

  --rest URL      address of a running service; set its key in the variable APIKEY. Default, where both
                  REST_PORT and APIKEY are set: http://127.0.0.1 and that port
  --out FOLDER    where to write; default: out
`;

await runCommand('demo', 'stopped', async (signal) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rest: { type: 'string' }, out: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    process.stdout.write(usage);
    return true;
  }
  const wanted = positionals.length > 0 ? positionals : await samples();
  const files = await existing(wanted);
  if (files.length === 0) return false;
  const out = values.out ?? 'out';
  const targets = await chooseTargets(files, out);
  await mkdir(out, { recursive: true });
  const analyseBy = (service: RestClientOptions) => analyseAll(service, files, targets, signal);
  const { APIKEY, REST_PORT } = process.env;
  const running = REST_PORT && APIKEY ? `http://127.0.0.1:${REST_PORT}` : undefined;
  const url = values.rest ?? running;
  const isWell = await (url === undefined
    ? withOwnService(analyseBy, signal)
    : analyseBy({ url, apiKey: readKey(process.env) }).catch(nameOptions));
  return isWell && files.length === wanted.length;
});

/** Throws it again; where nobody listens, with the options that name another address. */
function nameOptions(error: unknown): never {
  if (!(error instanceof RefusedError) || error.reason !== undefined) throw error;
  throw new Error(`${error.message} --rest or REST_PORT names another address.`, { cause: error });
}

/** Those that can be read; warns of the others. */
async function existing(files: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const file of files)
    try {
      await access(file, constants.R_OK);
      const kind = await stat(file);
      if (kind.isFile()) found.push(file);
      else warn('demo', `${file}: it is ${kind.isDirectory() ? 'a folder, which npm run analyze takes' : 'no file'}`);
    } catch (error) {
      warn('demo', `${file}: ${whyUnreadable(error)}`);
    }
  return found;
}

async function samples(): Promise<string[]> {
  const names = await readdir('samples');
  return names.filter((name) => name.endsWith('.jpg')).map((name) => path.join('samples', name));
}

/** @returns whether no picture was refused */
async function analyseAll(
  service: RestClientOptions,
  files: readonly string[],
  targets: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const client = createRestClient(service);
  let isWell = true;
  for (const [index, file] of files.entries()) {
    signal.throwIfAborted();
    const picture = await readFile(file);
    const analysis = await analyse(client, picture, signal);
    const target = targets[index] ?? '';
    await writeFile(`${target}.json`, `${JSON.stringify(analysis, undefined, 2)}\n`);
    const isDrawn = !isRefused(analysis);
    if (isDrawn) await writeFile(`${target}.jpg`, await annotate(picture, toAnnotations(analysis)));
    else isWell = false;
    const line = `${file}: ${summarise(analysis)}; wrote ${target}${isDrawn ? '.jpg and .json' : '.json'}`;
    process.stdout.write(`${printable(line)}\n`);
  }
  return isWell;
}

/** A service on free ports with a temporary database, whatever the user's own settings say. */
async function withOwnService<T>(use: (service: RestClientOptions) => Promise<T>, signal: AbortSignal): Promise<T> {
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
      REST_ADMIN_PORT: '',
      REST_CORE_ADDRESS: '',
      REST_LOG_LEVEL: 'error',
    };
    const service = await launch({ env, log: (line) => warn('demo', line), signal });
    try {
      return await use({ url: service.restUrl, apiKey: service.demo?.apiKey ?? '' });
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
