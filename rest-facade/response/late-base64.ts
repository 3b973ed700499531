/** Base64 of up to this many bytes is in an answer from the start: far more than the crop of a portrait has. */
const maxEagerBytes = 256 * 1024;
/** What is made of base64 at a time: 60 KiB. A multiple of 3, so that only the last of a value is padded. */
const sliceBytes = 45 * 1024;
/** Stands in a JSON text for base64 that is made later: wherever else a JSON text has this character, it is escaped. */
const placeholder = '\0';

/** A JSON text whose base64 is made slice by slice as it is sent: 24 MB at once would hold up everyone else. */
export class LateText implements Iterable<Buffer> {
  readonly length: number;

  /**
   * @param texts what is between the values, before the first and after the last
   * @param values what comes in base64
   */
  constructor(
    private readonly texts: readonly string[],
    private readonly values: readonly Buffer[],
  ) {
    const base64Bytes = values.map(({ length }) => Math.ceil(length / 3) * 4);
    this.length = sum([...texts.map((text) => Buffer.byteLength(text)), ...base64Bytes]);
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

/** Bytes as they stand in a JSON text until their base64 is made. @param later takes them */
export function writeBase64(bytes: Buffer, later: Buffer[]): string {
  later.push(bytes);
  return `"${placeholder}"`;
}

/** A JSON text in which base64 was left for later: as a whole if that is little. */
export function withBase64(write: (later: Buffer[]) => string): string | LateText {
  const values: Buffer[] = [];
  const texts = write(values).split(placeholder);
  if (sum(values.map(({ length }) => length)) > maxEagerBytes) return new LateText(texts, values);
  return texts.map((text, index) => text + (values[index]?.toString('base64') ?? '')).join('');
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
