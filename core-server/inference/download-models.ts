import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ModelEntry } from './manifest.js';
import { hashOf } from './model-files.js';

type Graph = ModelEntry['graphs'][number];

/** A file of a model that is fetched by whoever wants it. */
export type DownloadedGraph = Graph & { readonly url: string };

/** What a download needs from outside. */
export interface DownloadDeps {
  readonly fetch: typeof fetch;
  /** Told what happens, a line at a time. */
  readonly say: (line: string) => void;
  /** A server that sends nothing for so long is given up, ms. */
  readonly idleMs?: number;
}

/** No file of a face or meter model is larger. */
const mostBytes = 100 * 2 ** 20;

/** The files of the models that are not part of the repository. */
export function downloadedGraphs(models: readonly ModelEntry[]): DownloadedGraph[] {
  return models
    .flatMap((model) => model.graphs)
    .filter((graph): graph is DownloadedGraph => graph.url !== undefined);
}

/**
 * Fetches a file by its pinned address into the folder of the manifest, unless it is there already.
 * Only bytes of the pinned SHA-256 ever get the file's name. Throws an Error that says what to do
 * when the server cannot be reached, refuses, breaks off or sends other bytes.
 */
export async function downloadGraph(
  graph: DownloadedGraph,
  folder: URL,
  deps: DownloadDeps,
): Promise<void> {
  const { say } = deps;
  const target = new URL(graph.file, folder);
  const present = await readFile(target).catch(() => undefined);
  if (present && hashOf(present) === graph.sha256) {
    say(`${graph.file}: is here already`);
    return;
  }
  say(`${graph.file}: fetching ${graph.url}`);
  const bytes = await fetchBytes(graph, deps);
  const found = hashOf(bytes);
  if (found !== graph.sha256) {
    throw new Error(
      `${graph.url} gave ${bytes.length} bytes with the sha256 ${found}, the manifest wants ` +
        `${graph.sha256}. Nothing was kept.`,
    );
  }
  await writeWhole(target, bytes);
  say(`${graph.file}: ${bytes.length} bytes, sha256 is right`);
}

async function fetchBytes(
  { url, file }: DownloadedGraph,
  { fetch, say, idleMs = 30_000 }: DownloadDeps,
): Promise<Uint8Array> {
  const idle = new AbortController();
  const timer = setTimeout(() => {
    idle.abort(new Error(`nothing came for ${idleMs / 1000} s`));
  }, idleMs);
  try {
    const response = await fetch(url, { signal: idle.signal });
    if (!response.ok || response.body === null) {
      throw new Error(`the server answers ${response.status} ${response.statusText}`);
    }
    const whole = Number(response.headers.get('content-length')) || undefined;
    const chunks: Uint8Array[] = [];
    let received = 0;
    let told = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      timer.refresh();
      chunks.push(chunk);
      received += chunk.length;
      if (received > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
      const tenth = whole === undefined ? 0 : Math.floor((received / whole) * 10);
      if (tenth > told) say(`${file}: ${(told = tenth) * 10} %`);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    throw new Error(
      `Cannot download ${url}: ${reasonOf(error)}. The embedded models need no download; to use ` +
        `this one without a network, put the file at models/${file} yourself: its hash is checked.`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

/** `fetch failed` says nothing; what failed is in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause.message : '';
  return cause ? `${error.message} (${cause})` : error.message;
}

/** A reader sees the old file or the whole new one, and a full disk leaves nothing behind. */
async function writeWhole(target: URL, bytes: Uint8Array): Promise<void> {
  const beside = new URL(`${target.href}.part`);
  await mkdir(fileURLToPath(new URL('.', target)), { recursive: true });
  try {
    await writeFile(beside, bytes, { flush: true });
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
