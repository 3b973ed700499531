import { readFileSync } from 'node:fs';

const file = new URL('../../../../generated/weighted-sums.wasm', import.meta.url);
const pageBytes = 2 ** 16;
/** What may be read and written after the end of a block. */
const slackBytes = 16;

/** The functions of `weighted-sums.wat`. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly sumRows: WeightedSum;
  readonly sumPixels: WeightedSum;
}

/**
 * @param from address of the samples
 * @param step `sumRows`: bytes from row to row; `sumPixels`: address of the offsets
 * @param weights address
 * @param taps weights per result
 * @param results their number
 * @param to address of the results
 */
type WeightedSum = (from: number, step: number, weights: number, taps: number, results: number, to: number) => void;

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)));

/** One instance per thread. What an earlier picture left in the memory is overwritten or has the weight 0. */
export const { memory, sumRows, sumPixels } = exports as Exports;

/** Addresses of blocks of these lengths, for which the memory grows if need be. */
export function layOut<Name extends string>(lengths: Readonly<Record<Name, number>>): Record<Name, number> {
  const addresses: Record<string, number> = {};
  let end = 0;
  for (const [name, length] of Object.entries<number>(lengths)) {
    addresses[name] = end;
    end += Math.ceil((length + slackBytes) / slackBytes) * slackBytes;
  }
  const missing = end - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
  return addresses;
}
