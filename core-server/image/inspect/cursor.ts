import { corruptImage } from '../refuse-image.js';

/** Parsers look at each byte a few times at most. */
const stepsPerByte = 4;
/** In a small file, the same few bytes may be read often: EXIF, of which libexif visits some entries again and again. */
const stepsPerFile = 100_000;
/** Each takes memory, of which a worker has little; libheif reads a thousand items. */
const partsPerFile = 30_000;

/** What the parsers of a file may still do, all together. */
interface Budget {
  steps: number;
  parts: number;
}

/** For a file of so many bytes. */
export function budgetFor(bytes: number): Budget {
  return { steps: stepsPerFile + stepsPerByte * bytes, parts: partsPerFile };
}

/**
 * Reads a file that a stranger made, in a limited number of steps: whatever the file says, its parsers cannot take
 * longer than their first look at a file of its size may take. Each number read is a step, of no bytes too, and so is
 * each byte that is searched.
 */
export class Cursor {
  readonly length: number;
  readonly #bytes: Buffer;
  readonly #budget: Budget;

  constructor(file: Uint8Array, budget: Budget = budgetFor(file.length)) {
    this.length = file.length;
    this.#bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
    this.#budget = budget;
  }

  /** Counts work. @throws Refusal CORRUPT_IMAGE if it is more than any picture needs */
  step(count = 1): void {
    this.#budget.steps -= count;
    if (this.#budget.steps < 0) throw corruptImage('more steps than any picture needs');
  }

  /** An unsigned integer of 0 to 8 bytes; above 2^53, it is rounded. @throws Refusal CORRUPT_IMAGE beyond the end */
  uint(at: number, bytes: number, isLittle = false): number {
    this.step();
    if (at + bytes > this.length) throw corruptImage('cut off');
    if (bytes === 0) return 0;
    if (bytes <= 6) return isLittle ? this.#bytes.readUIntLE(at, bytes) : this.#bytes.readUIntBE(at, bytes);
    return Number(isLittle ? this.#bytes.readBigUInt64LE(at) : this.#bytes.readBigUInt64BE(at));
  }

  /** A byte; undefined beyond the end. */
  byte(at: number): number | undefined {
    this.step();
    return this.#bytes[at];
  }

  /** Latin-1, less of it at the end of the file. */
  text(at: number, bytes: number): string {
    this.step();
    return this.#bytes.toString('latin1', at, at + bytes);
  }

  /** Where a byte or a few stand from `from` on; the length if they do not. */
  find(what: number | Buffer, from: number): number {
    const found = this.#bytes.indexOf(what, from);
    const at = found < 0 ? this.length : found;
    this.step(1 + Math.max(0, at - from));
    return at;
  }

  /** A part of the file, or less of it at the end; its steps are those of the file. */
  part(from: number, to?: number): Cursor {
    this.step();
    this.#budget.parts -= 1;
    if (this.#budget.parts < 0) throw corruptImage('more parts than any picture has');
    return new Cursor(this.#bytes.subarray(from, to), this.#budget);
  }

  /** Parts of the file one after the other: a copy, whose bytes the caller counts. */
  join(parts: readonly Cursor[]): Cursor {
    return new Cursor(Buffer.concat(parts.map((part) => part.#bytes)), this.#budget);
  }
}
