import { type Quad, sizeOf } from '../../../../core-server/features/meter/geometry.js';
import { sampleQuad } from '../../../../core-server/features/meter/printed/meter-face.js';
import {
  asDetector,
  asRecogniser,
  type RunNetwork,
} from '../../../../core-server/features/meter/printed/paddle-ocr.js';
import type { RgbPicture, Size } from '../../../../core-server/image/picture.js';
import type { FloatTensor } from '../../../../core-server/inference/models/tensors.js';
import { decodeCtc, type ReadCharacter } from './ctc-text.js';
import { findTextBoxes } from './text-boxes.js';

/** One line of text in one reading direction. */
export interface TextLine {
  /** Corners in reading order, pixels of the picture. */
  readonly quad: Quad;
  readonly characters: readonly ReadCharacter[];
}

interface OcrNetworks {
  readonly detect: RunNetwork;
  readonly recognise: RunNetwork;
  readonly alphabet: readonly string[];
}

const stripHeight = 48; // what the recogniser was trained on
const maxStripWidth = 960;

/**
 * Finds the text of a picture and reads it.
 *
 * @param toRead which of the boxes found, and in which directions
 */
export async function readTextLines(
  networks: OcrNetworks,
  image: RgbPicture,
  toRead: (boxes: Quad[]) => readonly Quad[],
  signal: AbortSignal,
): Promise<TextLine[]> {
  const boxes = findTextBoxes(await probabilityMap(networks.detect, image), {
    pixelThreshold: 0.3,
    boxThreshold: 0.5,
    unclipRatio: 1.5,
    minHeight: 3,
  });
  const lines: TextLine[] = [];
  for (const quad of toRead(boxes)) {
    signal.throwIfAborted();
    lines.push(await readLine(networks, image, quad));
  }
  return lines;
}

async function probabilityMap(detect: RunNetwork, image: RgbPicture) {
  const width = Math.ceil(image.width / 32) * 32;
  const height = Math.ceil(image.height / 32) * 32;
  const output = await detect(planesOf(image, { width, height }, asDetector));
  return { data: output.data, width, height };
}

/** Planes B, G, R, normalised as in the network's training, zero (mean colour) outside the picture. */
function planesOf(image: RgbPicture, size: Size, training: typeof asDetector): FloatTensor {
  const plane = size.width * size.height;
  const data = new Float32Array(3 * plane);
  for (let channel = 0; channel < 3; channel++) {
    const scale = 1 / (255 * (training.deviation[channel] ?? 1));
    const offset = (training.mean[channel] ?? 0) / (training.deviation[channel] ?? 1);
    for (let y = 0; y < image.height; y++) {
      for (let x = 0; x < image.width; x++) {
        const value = image.data[(y * image.width + x) * 3 + 2 - channel] ?? 0;
        data[channel * plane + y * size.width + x] = value * scale - offset;
      }
    }
  }
  return { data, dims: [1, 3, size.height, size.width] };
}

async function readLine(networks: OcrNetworks, image: RgbPicture, quad: Quad): Promise<TextLine> {
  const { width, height } = sizeOf(quad);
  const stripWidth = Math.min(
    Math.max(Math.round((width / Math.max(height, 1)) * stripHeight), stripHeight / 2),
    maxStripWidth,
  );
  const strip = sampleQuad(image, quad, { width: stripWidth, height: stripHeight });
  const output = await networks.recognise(planesOf(strip, strip, asRecogniser));
  return { quad, characters: decodeCtc(output.data, networks.alphabet) };
}
