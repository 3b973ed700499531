import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelEntry } from '../../core-server/inference/models/manifest.js';
import type { RunModel, TensorData } from '../../core-server/inference/models/sessions.js';

/** One thread: as many workers as cores run side by side. */
const options: InferenceSession.SessionOptions = { intraOpNumThreads: 1, interOpNumThreads: 1 };

/** Opens a model of one graph with onnxruntime itself. */
export async function openSession(entry: ModelEntry, folder: URL): Promise<RunModel> {
  const [graph] = entry.graphs;
  if (!graph || entry.graphs.length > 1) throw new Error(`${entry.name} has not one graph.`);
  const bytes = await readFile(new URL(graph.file, folder));
  const session = await InferenceSession.create(bytes, options);
  return async (feeds) => {
    const tensors = Object.fromEntries(
      Object.entries(feeds).map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)]),
    );
    return (await session.run(tensors)) as unknown as Record<string, TensorData>;
  };
}
