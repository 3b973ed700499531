import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { ModelEntry, PinnedFile } from './manifest.js';
import { hashOf } from './model-files.js';

/** A file of a model that is fetched by whoever wants it. */
type DownloadedGraph = PinnedFile & { readonly url: string };

/** The files of the models that are not part of the repository. */
export function downloadedGraphs(models: readonly ModelEntry[]): DownloadedGraph[] {
  return models.flatMap((model) => model.graphs).filter((graph): graph is DownloadedGraph => graph.url !== undefined);
}

/**
 * Fetches a file by its pinned address into the folder of the manifest, unless it is there already.
 * Only bytes of the pinned SHA-256 ever get the file's name.
 *
 * @returns whether it had to be fetched
 * @throws an Error that says what to do when the server cannot be reached, refuses, breaks off, takes
 *   longer than the signal lets it, or sends other bytes
 */
export async function downloadGraph(graph: DownloadedGraph, folder: URL, signal: AbortSignal): Promise<boolean> {
  const { file, sha256, url } = graph;
  const target = new URL(file, folder);
  const present = await readFile(target).catch(() => undefined);
  if (present && hashOf(present) === sha256) return false;
  const bytes = await fetchBytes(graph, signal);
  const found = hashOf(bytes);
  if (found !== sha256) {
    throw new Error(
      `${url} returned ${bytes.length} bytes with the sha256 ${found}, but the manifest says ` +
        `${sha256}; nothing was saved.`,
    );
  }
  // A reader sees the old file or the whole new one, and a full disk leaves nothing behind.
  const beside = new URL(`${target.href}.part`);
  await mkdir(new URL('.', target), { recursive: true });
  try {
    await writeFile(beside, bytes, { flush: true });
    await rename(beside, target);
  } finally {
    await rm(beside, { force: true });
  }
  return true;
}

async function fetchBytes({ url, file }: DownloadedGraph, signal: AbortSignal): Promise<Uint8Array> {
  try {
    const response = await fetch(url, { signal });
    if (!response.ok) {
      throw new Error(`the server answers ${response.status} ${response.statusText}`);
    }
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw new Error(
      `Cannot download ${url}: ${reasonOf(error)}. The embedded models need no download; to use ` +
        `this one without a network, put the file at models/${file} yourself: its hash is checked.`,
      { cause: error },
    );
  }
}

/** `fetch failed` says nothing; what failed is in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
