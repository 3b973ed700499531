import { randomBytes } from 'node:crypto';

/** Of an answer, this much is written as base64 at once: far more than the crop of a portrait. */
const maxEagerBytes = 256 * 1024;
/** What is made of base64 at a time: 60 KiB. A multiple of 3, so that only the last of a value is padded. */
const sliceBytes = 45 * 1024;
/** Stands in a JSON text for bytes that come later; nobody can know it, to have it repeated. */
const placeholder = randomBytes(16).toString('hex');

/** A JSON text whose base64 is made slice by slice as it is sent: 24 MB at once would hold up everyone else. */
export class LateText implements Iterable<Buffer> {
  /** Bytes. */
  readonly length: number;

  /**
   * @param texts what is between the values, before the first and after the last
   * @param values what comes in base64
   */
  constructor(
    private readonly texts: readonly string[],
    private readonly values: readonly Buffer[],
  ) {
    const add = (sum: number, bytes: number): number => sum + bytes;
    this.length =
      texts.map((text) => Buffer.byteLength(text)).reduce(add) +
      values.map(({ length }) => Math.ceil(length / 3) * 4).reduce(add, 0);
  }

  *[Symbol.iterator](): Generator<Buffer> {
    for (const [index, text] of this.texts.entries()) {
      const value = this.values[index] ?? Buffer.alloc(0);
      yield Buffer.from(text + value.toString('base64', 0, sliceBytes));
      for (let at = sliceBytes; at < value.length; at += sliceBytes)
        yield Buffer.from(value.toString('base64', at, at + sliceBytes), 'latin1');
    }
  }
}

export type LateBase64 = ReturnType<typeof createLateBase64>;

/** For texts with bytes in base64: once these are many, their base64 is left to who sends the text. */
export function createLateBase64() {
  let eagerBytes = 0;
  let late: Buffer[] = [];
  return {
    /** The base64 of bytes, or what stands for it. */
    write: (bytes: Buffer): string => {
      if (eagerBytes + bytes.length > maxEagerBytes) {
        late.push(bytes);
        return placeholder;
      }
      eagerBytes += bytes.length;
      return bytes.toString('base64');
    },
    /** @param show writes the text at once, its bytes by `write` */
    collect: (show: () => string): string | LateText => {
      eagerBytes = 0;
      late = [];
      const text = show();
      return late.length === 0 ? text : new LateText(text.split(placeholder), late);
    },
  };
}
