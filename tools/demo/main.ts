import { access, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { launch } from '../../launcher/launch.js';
import { createLaunchSettings } from '../../launcher/launch-settings.js';
import { ConfigError } from '../../runtime/settings/read-settings.js';
import { createRestClient, type RestClient } from '../../sdk/typescript/rest.js';
import { annotate } from '../annotate/annotate.js';
import { printable, runCommand, warn } from '../run-command.js';
import { analyse, summarise, toAnnotations } from './analysis.js';

const usage = `Analyses pictures with a temporary service, and writes annotated copies and the responses as JSON.

  make demo                        # the samples
  make demo ARGS="a.jpg b.jpg"

  --out FOLDER    where to write; default: out
`;

await runCommand('demo', 'stopped', async (signal) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string', default: 'out' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    process.stdout.write(usage);
    return true;
  }
  const files = positionals.length > 0 ? positionals : await samples();
  for (const file of files) await access(file);
  const targets = await chooseTargets(files, values.out);
  return withOwnService((client) => analyseAll(client, files, targets, signal), signal);
});

async function samples(): Promise<string[]> {
  const names = await readdir('samples');
  return names.filter((name) => name.endsWith('.jpg')).map((name) => path.join('samples', name));
}

/**
 * Where the outputs for each file go, without extension: its own name, numbered if there are several of it.
 * @throws ConfigError where they could replace a picture
 */
async function chooseTargets(files: readonly string[], out: string): Promise<string[]> {
  await mkdir(out, { recursive: true });
  const folder = await realpath(out);
  const names = files.map((file) => path.parse(file).name);
  for (const file of files)
    if (path.dirname(await realpath(file)) === folder)
      throw new ConfigError(`--out is "${out}", where "${file}" is, want another folder`);
  return names.map((name, index) => {
    const earlier = names.slice(0, index).filter((other) => other === name).length;
    return path.join(out, earlier === 0 ? name : `${name}-${earlier + 1}`);
  });
}

/** @returns whether no picture was refused */
async function analyseAll(
  client: RestClient,
  files: readonly string[],
  targets: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  let isWell = true;
  for (const [index, file] of files.entries()) {
    signal.throwIfAborted();
    const picture = await readFile(file);
    const analysis = await analyse(client, picture, signal);
    const target = targets[index] ?? '';
    await writeFile(`${target}.json`, `${JSON.stringify(analysis, undefined, 2)}\n`);
    const isRefused = 'reason' in analysis.faces;
    if (isRefused) isWell = false;
    else await writeFile(`${target}.jpg`, await annotate(picture, toAnnotations(analysis)));
    const line = `${file}: ${summarise(analysis)}; wrote ${target}${isRefused ? '.json' : '.jpg and .json'}`;
    process.stdout.write(`${printable(line)}\n`);
  }
  return isWell;
}

/** A service on free ports with a temporary database, whatever the user's own settings say. */
async function withOwnService<T>(use: (client: RestClient) => Promise<T>, signal: AbortSignal): Promise<T> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'image-analysis-demo-'));
  const others = Object.entries(process.env).filter(([name]) => !/^(CORE_|REST_|DATABASE_URL$)/.test(name));
  const ports = { CORE_PORT: '0', REST_PORT: '0' };
  const levels = { CORE_LOG_LEVEL: 'error', REST_LOG_LEVEL: 'error' };
  const env = { ...Object.fromEntries(others), ...ports, ...levels, CORE_DATA_DIR: dataDir };
  try {
    const service = await launch({
      settings: createLaunchSettings(env),
      env,
      log: (line) => warn('demo', line),
      signal,
    });
    try {
      return await use(createRestClient({ url: service.restUrl, apiKey: service.demo?.apiKey ?? '' }));
    } finally {
      await service.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
