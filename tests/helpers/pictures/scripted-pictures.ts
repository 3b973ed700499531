import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../eventually.js';

/** Module of a worker that does what the picture tells. */
export const scriptedWorkerUrl = new URL('../service/scripted-worker.js', import.meta.url);

/** Module of the real worker that a test can kill. */
export const killableWorkerUrl = new URL('../service/killable-worker.js', import.meta.url);

/** What an analysis of a scripted picture does. */
interface Script {
  /** Names the analysis in the test. */
  readonly name: string;
  /** `answer` at once, `wait` until it is released, or `exit` the worker's thread. */
  readonly then: 'answer' | 'wait' | 'exit';
  /** Bytes of the crop in the answer; 0: no face. */
  readonly cropBytes: number;
}

/** What test and workers tell each other stands in a folder that the environment names. */
const folderVariable = 'TESTS_STAGE_FOLDER';

/** The workers' side of the stage. One that is closed releases all, so that no worker is waited for. */
export const stage = {
  tellBegun: (name: string) => appendFileSync(path.join(stageFolder(), 'begun'), `${name}\n`),
  isReleased: (name: string) => existsSync(path.join(stageFolder(), `release ${name}`)) || !existsSync(stageFolder()),
  isBarred: () => existsSync(path.join(stageFolder(), 'barred')),
};

function stageFolder(): string {
  const folder = process.env[folderVariable];
  if (folder === undefined) throw new Error('The test has opened no stage.');
  return folder;
}

const jpegBegin = Buffer.from([0xff, 0xd8, 0xff]);

/** Bytes that pass for a JPEG until they are decoded, and tell a scripted worker what to do. */
export function scriptedPicture(
  name: string,
  then: Script['then'] = 'answer',
  { bytes = 0, cropBytes = 0 } = {},
): Buffer<ArrayBuffer> {
  const script = JSON.stringify({ name, then, cropBytes } satisfies Script);
  return Buffer.concat([jpegBegin, Buffer.from(`${script}\n`), Buffer.alloc(bytes)]);
}

export function readScript(picture: Uint8Array): Script {
  const text = Buffer.from(picture).toString('utf8', jpegBegin.length, picture.indexOf(10));
  return JSON.parse(text) as Script;
}

/** The test's side of the stage: what has begun, and the lever that lets it end. */
export interface Stage {
  /** Names of the analyses that began, in their order; one that is tried again is there twice. */
  readonly begun: readonly string[];
  /** Resolves when so many analyses have begun. */
  waitForBegun(count: number): Promise<void>;
  release(...names: string[]): void;
  /** Whether workers that are started from now on fail to. */
  bar(isBarred: boolean): void;
}

/** Opens the stage, before the workers start, and closes it after the test. One at a time. */
export function openStage(t: { after(close: () => unknown): unknown }): Stage {
  const folder = mkdtempSync(path.join(tmpdir(), 'stage-'));
  process.env[folderVariable] = folder;
  writeFileSync(path.join(folder, 'begun'), '');
  t.after(() => rmSync(folder, { recursive: true }));
  const readBegun = () => readFileSync(path.join(folder, 'begun'), 'utf8').split('\n').slice(0, -1);
  return {
    get begun() {
      return readBegun();
    },
    async waitForBegun(count) {
      await eventually(() => readBegun().length >= count, 60_000);
    },
    release(...names) {
      for (const name of names) writeFileSync(path.join(folder, `release ${name}`), '');
    },
    bar(isBarred) {
      const file = path.join(folder, 'barred');
      if (isBarred) writeFileSync(file, '');
      else rmSync(file);
    },
  };
}
