import { downloadedGraphs, downloadGraph } from './inference/models/download-models.js';
import { loadManifest, manifestUrl } from './inference/models/manifest.js';

/** Enough for a small file even on a slow line. */
const timeoutMs = 60_000;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const manifest = await loadManifest(manifestUrl);
try {
  for (const graph of downloadedGraphs(manifest.models)) {
    const isNew = await downloadGraph(graph, manifestUrl, AbortSignal.timeout(timeoutMs));
    say(`${graph.file}: ${isNew ? `downloaded from ${graph.url}` : 'is here already'}`);
  }
  say('Choose with CORE_FACE_MODEL=yunet-n; without it the embedded model serves.');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
