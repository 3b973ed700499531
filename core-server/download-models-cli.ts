import { downloadedGraphs, downloadGraph } from './inference/models/download-models.js';
import { loadManifest } from './inference/models/manifest.js';

/** Enough for a small file even on a slow line. */
const timeoutMs = 60_000;
// Compiled to dist/core-server/, while the models lie in the sources.
const manifestFile = new URL('../../models/manifest.json', import.meta.url);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const manifest = await loadManifest(manifestFile);
try {
  for (const graph of downloadedGraphs(manifest.models)) {
    const isNew = await downloadGraph(graph, manifestFile, AbortSignal.timeout(timeoutMs));
    say(`${graph.file}: ${isNew ? `downloaded from ${graph.url}` : 'is here already'}`);
  }
  say('Choose with CORE_FACE_MODEL=yunet-n; without it the embedded model serves.');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
