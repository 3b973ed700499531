import { type ReadCharacter, decodeCtc } from './ctc-text.js';
import { type Quad, sizeOf, turned } from './geometry.js';
import { rednessAt } from './redness.js';
import type { RgbPicture } from '../image/picture.js';
import { sampleQuad } from './sample-quad.js';
import { type TextBox, findTextBoxes } from './text-boxes.js';

/** A dense tensor of floats. */
export interface FloatTensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** Runs a network that has one input and one output. */
export type RunNetwork = (input: FloatTensor) => Promise<FloatTensor>;

/** A character and how red its surroundings are (see `rednessAt`). */
export interface OcrCharacter extends ReadCharacter {
  readonly redness: number;
}

/** One line of text in one reading direction. */
export interface OcrLine {
  /** Corners in reading order, pixels of the picture. */
  readonly quad: Quad;
  readonly characters: readonly OcrCharacter[];
  /** Mean probability of the characters, 0..1. */
  readonly score: number;
}

export interface OcrNetworks {
  /** PP-OCR text detector: float[1,3,H,W] BGR, sides multiples of 32 → probability map [1,1,H,W]. */
  readonly detect: RunNetwork;
  /** PP-OCR recogniser: float[1,3,48,W] BGR → [1, steps, alphabet + 1]. */
  readonly recognise: RunNetwork;
  /** Text of class 1, 2, … of the recogniser. */
  readonly alphabet: readonly string[];
}

const stripHeight = 48; // what the recogniser was trained on
const maxStripWidth = 960;
const maxLines = 24; // largest first; more text than that is no counter's surroundings

/**
 * Reads every line of text in a picture, each box in both directions: a counter may stand on its
 * side or upside down, and only the reading tells which way it runs.
 */
export async function readLines(networks: OcrNetworks, image: RgbPicture): Promise<OcrLine[]> {
  const boxes = findTextBoxes(await probabilityMap(networks.detect, image), {
    pixelThreshold: 0.3,
    boxThreshold: 0.5,
    unclipRatio: 1.5,
    minHeight: 3,
  });
  const lines: OcrLine[] = [];
  for (const { quad } of largestFirst(boxes).slice(0, maxLines)) {
    for (const directed of [quad, turned(quad)]) {
      lines.push(await readLine(networks, image, directed));
    }
  }
  return lines;
}

async function probabilityMap(detect: RunNetwork, image: RgbPicture) {
  const width = Math.ceil(image.width / 32) * 32;
  const height = Math.ceil(image.height / 32) * 32;
  const output = await detect({
    data: planesOf(image, width, height),
    dims: [1, 3, height, width],
  });
  return { data: output.data, width, height };
}

/** Planes B, G, R, normalised as PP-OCR's detector was trained, zero (mean colour) outside the picture. */
function planesOf(image: RgbPicture, width: number, height: number): Float32Array {
  const plane = width * height;
  const out = new Float32Array(3 * plane);
  const mean = [0.485, 0.456, 0.406];
  const deviation = [0.229, 0.224, 0.225];
  for (let channel = 0; channel < 3; channel++) {
    // PP-OCR feeds BGR but subtracts ImageNet's RGB means in plane order.
    const scale = 1 / (255 * (deviation[channel] ?? 1));
    const offset = (mean[channel] ?? 0) / (deviation[channel] ?? 1);
    for (let y = 0; y < image.height; y++) {
      for (let x = 0; x < image.width; x++) {
        const value = image.data[(y * image.width + x) * 3 + 2 - channel] ?? 0;
        out[channel * plane + y * width + x] = value * scale - offset;
      }
    }
  }
  return out;
}

async function readLine(networks: OcrNetworks, image: RgbPicture, quad: Quad): Promise<OcrLine> {
  const { width, height } = sizeOf(quad);
  const stripWidth = Math.min(
    Math.max(Math.round((width / Math.max(height, 1)) * stripHeight), stripHeight / 2),
    maxStripWidth,
  );
  const strip = sampleQuad(image, quad, stripWidth, stripHeight);
  const output = await networks.recognise({
    data: strip,
    dims: [1, 3, stripHeight, stripWidth],
  });
  const size = { width: stripWidth, height: stripHeight };
  const characters = decodeCtc(output.data, networks.alphabet).map((character) => ({
    ...character,
    redness: rednessAt(strip, size, character.position, stripHeight / 6),
  }));
  const sum = characters.reduce((total, { confidence }) => total + confidence, 0);
  return { quad, characters, score: characters.length > 0 ? sum / characters.length : 0 };
}

function largestFirst(boxes: readonly TextBox[]): TextBox[] {
  const area = ({ quad }: TextBox): number => {
    const { width, height } = sizeOf(quad);
    return width * height;
  };
  return [...boxes].sort((a, b) => area(b) - area(a));
}
