export interface TiffOptions {
  readonly width: number;
  readonly height: number;
  readonly compression?: number;
  /** Bytes that the strip has by its directory. */
  readonly stripBytes?: number;
}

/** A grey TIFF of one strip, whose directory stands before it, as scanners write it. */
export function composeTiff(
  strip: Buffer,
  { width, height, compression = 1, stripBytes = strip.length }: TiffOptions,
): Buffer {
  const [shortType, longType] = [3, 4];
  const fields = [
    [256, longType, width],
    [257, longType, height],
    [258, shortType, 8],
    [259, shortType, compression],
    [262, shortType, 1],
    [273, longType, 0],
    [278, longType, height],
    [279, longType, stripBytes],
  ] as const;
  const head = Buffer.alloc(8 + 2 + fields.length * 12 + 4);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(fields.length, 8);
  fields.forEach(([tag, type, value], index) => {
    const at = 10 + index * 12;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(type, at + 2);
    head.writeUInt32LE(1, at + 4);
    head.writeUInt32LE(tag === 273 ? head.length : value, at + 8);
  });
  return Buffer.concat([head, strip]);
}
