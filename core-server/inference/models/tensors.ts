import type { RgbPicture } from '../../image/picture.js';
import type { TensorData } from './sessions.js';

export interface FloatTensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** The pixels as input for a network: uint8 [1, H, W, 3]. */
export function pictureTensor({ data, width, height }: RgbPicture): TensorData {
  return { type: 'uint8', data, dims: [1, height, width, 3] };
}

/** An output by its name. @throws Error if the network has none of that name, or it holds no floats */
export function floatsOf(outputs: Readonly<Record<string, TensorData>>, name: string): FloatTensor {
  const output = outputs[name];
  if (output?.data instanceof Float32Array) return { data: output.data, dims: output.dims };
  throw new Error(`the network gives no floats "${name}"`);
}
