import './no-telemetry.js';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelEntry } from './manifest.js';
import { readGraphs } from './model-files.js';

/** A tensor as models take and give it. */
export interface TensorData {
  readonly type: 'uint8' | 'float32' | 'int64';
  readonly data: Uint8Array | Float32Array | BigInt64Array;
  readonly dims: readonly number[];
}

/** A model of the manifest, loaded. Belongs to the thread that opened it. */
export interface Model {
  readonly name: string;
  readonly version: string;
  /** Runs the model's graphs in order; each takes its inputs by name from `feeds` and what came before. Blocks the thread. */
  run(feeds: Readonly<Record<string, TensorData>>): Promise<Record<string, TensorData>>;
  /** Gives the memory back; the model cannot run afterwards. A thread must release before it ends, or the memory is lost. */
  release(): Promise<void>;
}

// One thread a session: a worker a core gives the best throughput, and more threads measured up to
// two times slower on a busy machine. Spinning would burn the core that the next worker needs.
const sessionOptions: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  logSeverityLevel: 3,
  extra: {
    session: {
      intra_op: { allow_spinning: '0' },
      inter_op: { allow_spinning: '0' },
    },
  },
};

/** How a model is held. */
export interface OpenModelOptions {
  /**
   * Whether the memory of a run is kept for the next, or given back to the process. Kept memory
   * grows in powers of two and stays at the largest run: for the meter's networks 130 MB a worker.
   * Giving it back costs them 0 to 8 % of a run, the face detector 5 to 12 %.
   */
  readonly memory?: 'kept' | 'given-back';
}

/** Loads a model after checking that its files are the ones of the manifest. Throws when they are not, or cannot be read. */
export async function openModel(
  entry: ModelEntry,
  folder: URL,
  { memory = 'kept' }: OpenModelOptions = {},
): Promise<Model> {
  const isKept = memory === 'kept';
  // A plan of the memory is made for each size of picture, and hardly two looks have one size: it
  // costs 45 MB a worker and brings nothing.
  const options = { ...sessionOptions, enableCpuMemArena: isKept, enableMemPattern: false };
  const sessions: InferenceSession[] = [];
  for (const bytes of await readGraphs(entry, folder)) {
    sessions.push(await InferenceSession.create(bytes, options));
  }
  return {
    name: entry.name,
    version: entry.version,
    async run(feeds) {
      const known: Record<string, TensorData> = { ...feeds };
      let outputs: Record<string, TensorData> = {};
      for (const session of sessions) {
        outputs = asTensorData(await session.run(inputsOf(session, known)));
        Object.assign(known, outputs);
      }
      return outputs;
    },
    async release() {
      await Promise.all(sessions.splice(0).map((session) => session.release()));
    },
  };
}

function inputsOf(
  session: InferenceSession,
  known: Readonly<Record<string, TensorData>>,
): Record<string, Tensor> {
  const inputs: Record<string, Tensor> = {};
  for (const name of session.inputNames) {
    const tensor = known[name];
    if (tensor === undefined) throw new Error(`the model wants an input "${name}" and got none`);
    inputs[name] = new Tensor(tensor.type, tensor.data, tensor.dims);
  }
  return inputs;
}

function asTensorData(outputs: InferenceSession.OnnxValueMapType): Record<string, TensorData> {
  // The types of the outputs are fixed by the graphs, whose bytes are fixed by the manifest.
  return outputs as unknown as Record<string, TensorData>;
}
