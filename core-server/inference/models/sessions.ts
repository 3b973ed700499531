import './no-telemetry.js';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelFiles } from './manifest.js';
import { readGraphs } from './model-files.js';

/** A tensor as models accept and return it. */
export interface TensorData {
  readonly type: 'uint8' | 'float32' | 'int64';
  readonly data: Uint8Array | Float32Array | BigInt64Array;
  readonly dims: readonly number[];
}

/** A loaded model. Belongs to the thread that opened it. */
export interface Model {
  /** Runs the model's graphs in order; each takes its inputs by name from `feeds` and previous outputs. Blocks the thread. */
  readonly run: (feeds: Readonly<Record<string, TensorData>>) => Promise<Record<string, TensorData>>;
  /** Frees the memory; the model cannot run afterwards. A thread must release before it ends, or the memory leaks. */
  release(): Promise<void>;
}

/** Runs a network, whoever owns it. */
export type RunModel = Model['run'];

// Threads that share a run spin while they wait for each other: waking them for each layer would take longer than
// the layer. Between two runs, spinning would waste the CPU core that the next worker needs.
const sessionOptions: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  logSeverityLevel: 3,
  extra: {
    session: { force_spinning_stop: '1', intra_op: { allow_spinning: '1' }, inter_op: { allow_spinning: '0' } },
  },
};

interface OpenModelOptions {
  /**
   * Whether the memory of a run is kept for the next one or returned to the process. Kept memory grows in powers
   * of two and stays at the largest run: 130 MB per worker for the meter's networks. Returning it costs them 0
   * to 8 % of a run, and the face detector 5 to 12 %.
   */
  readonly memory?: 'kept' | 'given-back';
  /**
   * Threads that share a run. Default: 1. One worker per CPU core gives the best throughput; with more threads than
   * cores, runs were up to two times slower.
   */
  readonly threads?: number;
}

/** Loads a model after checking the hashes of its files. @throws Error if they differ, or a file cannot be read */
export async function openModel(
  files: ModelFiles,
  folder: URL,
  { memory = 'kept', threads = 1 }: OpenModelOptions = {},
): Promise<Model> {
  const isKept = memory === 'kept';
  // A memory plan is made for each picture size, and hardly any two looks have the same size: it costs 45 MB
  // per worker and gains nothing.
  const options = { ...sessionOptions, intraOpNumThreads: threads, enableCpuMemArena: isKept, enableMemPattern: false };
  const sessions: InferenceSession[] = [];
  for (const bytes of await readGraphs(files, folder)) {
    sessions.push(await InferenceSession.create(bytes, options));
  }
  return {
    async run(feeds) {
      const known: Record<string, TensorData> = { ...feeds };
      let outputs: Record<string, TensorData> = {};
      for (const session of sessions) {
        // The types of the outputs are fixed by the graphs, whose bytes are fixed by the manifest.
        outputs = (await session.run(inputsOf(session, known))) as unknown as Record<string, TensorData>;
        Object.assign(known, outputs);
      }
      return outputs;
    },
    async release() {
      await Promise.all(sessions.splice(0).map((session) => session.release()));
    },
  };
}

function inputsOf(session: InferenceSession, known: Readonly<Record<string, TensorData>>): Record<string, Tensor> {
  const inputs: Record<string, Tensor> = {};
  for (const name of session.inputNames) {
    const tensor = known[name];
    if (tensor === undefined) throw new Error(`the model wants an input "${name}" and got none`);
    inputs[name] = new Tensor(tensor.type, tensor.data, tensor.dims);
  }
  return inputs;
}
