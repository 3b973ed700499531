import { sizeOf, turned } from '../../../../core-server/features/meter/geometry.js';
import { sampleQuad } from '../../../../core-server/features/meter/printed/meter-face.js';
import { openPaddleOcr, type RunNetwork } from '../../../../core-server/features/meter/printed/paddle-ocr.js';
import type { RgbPicture } from '../../../../core-server/image/picture.js';
import { cpuClock } from '../../cpu-clock.js';
import { countRedWheels } from './count-red-wheels.js';
import type { ColouredLine } from './digit-runs.js';
import { rednessAt } from './redness.js';
import { type SelectedRun, selectReading } from './select-reading.js';
import { readTextLines, type TextLine } from './text-lines.js';

// What PaddleOCR makes of meters, with the best rule that we found for it: a measure for our own
// networks. It is not served.

/** A counter as PaddleOCR and the rule read it. */
interface PaddleReading {
  readonly meterNumber: string;
  readonly value: string;
  /** Probability that the digits are right, 0..1. */
  readonly confidence: number;
}

/** Longer side of the picture; training photos of 800 pixels were read no worse than larger ones. */
export const paddleSide = 800;

const maxBoxes = 24;
const stripHeight = 48;

/** Opens PaddleOCR as a reader of counters; the reading is null where it finds none, `ms` are CPU milliseconds in its networks. */
export async function openPaddleCounter() {
  const networks = await openPaddleOcr();
  let ms = 0;
  const timed =
    (run: RunNetwork): RunNetwork =>
    async (input) => {
      const start = cpuClock();
      const output = await run(input);
      ms += cpuClock() - start;
      return output;
    };
  const measured = {
    detect: timed(networks.detect),
    recognise: timed(networks.recognise),
    alphabet: [...networks.dictionary.split('\n'), ' '],
  };
  const { signal } = new AbortController();
  return {
    async read(picture: RgbPicture): Promise<{ reading: PaddleReading | null; ms: number }> {
      ms = 0;
      // A counter may stand upside down; only the reading tells which way it runs.
      const lines = await readTextLines(
        measured,
        picture,
        (boxes) =>
          boxes
            .sort((a, b) => areaOf(b) - areaOf(a))
            .slice(0, maxBoxes)
            .flatMap((quad) => [quad, turned(quad)]),
        signal,
      );
      const selected = selectReading(lines.map((line) => withColour(line, picture)));
      return { reading: selected && toReading(selected), ms };
    },
    release: () => networks.release(),
  };
}

function toReading({ run: { digits }, confidence }: SelectedRun): PaddleReading {
  const meterNumber = digits.map(({ digit }) => digit).join('');
  const red = countRedWheels(digits.map(({ redness }) => redness)) ?? 0;
  const whole = meterNumber.slice(0, meterNumber.length - red);
  const value = red === 0 ? meterNumber : `${whole}.${meterNumber.slice(-red)}`;
  return { meterNumber, value, confidence };
}

function areaOf(quad: ColouredLine['quad']): number {
  const { width, height } = sizeOf(quad);
  return width * height;
}

function withColour({ quad, characters }: TextLine, picture: RgbPicture): ColouredLine {
  const { width, height } = sizeOf(quad);
  const size = {
    width: Math.max(1, Math.round((width / Math.max(height, 1)) * stripHeight)),
    height: stripHeight,
  };
  if (characters.length === 0) return { quad, characters: [] };
  const strip = sampleQuad(picture, quad, size);
  return {
    quad,
    characters: characters.map((character) => ({
      ...character,
      redness: rednessAt(strip, character.position, stripHeight / 6),
    })),
  };
}
