import { downloadedGraphs, downloadGraph } from './inference/download-models.js';
import { loadManifest } from './inference/manifest.js';

// Compiled to dist/core-server/, while the models lie in the sources.
const manifestFile = new URL('../../models/manifest.json', import.meta.url);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const manifest = await loadManifest(manifestFile);
try {
  for (const graph of downloadedGraphs(manifest.models)) {
    await downloadGraph(graph, manifestFile, { fetch, say });
  }
  say('Choose with CORE_FACE_MODEL=yunet-n; without it the embedded model serves.');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
