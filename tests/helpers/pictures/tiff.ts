interface TiffOptions {
  readonly width: number;
  readonly height: number;
  readonly compression?: number;
  /** Bytes that each strip has by its directory. */
  readonly stripBytes?: number;
  /** How many strips it has, which share their bytes. */
  readonly strips?: number;
  /** Bytes of JPEG tables, which are those of the file's beginning. */
  readonly tableBytes?: number;
}

/** A grey TIFF of one strip, or of some that share it, whose directory stands before it, as scanners write it. */
export function composeTiff(
  strip: Buffer,
  { width, height, compression = 1, stripBytes = strip.length, strips = 1, tableBytes = 0 }: TiffOptions,
): Buffer {
  const [shortType, longType] = [3, 4];
  const fields = [
    [256, longType, width],
    [257, longType, height],
    [258, shortType, 8],
    [259, shortType, compression],
    [262, shortType, 1],
    [273, longType, 0],
    [278, longType, Math.ceil(height / strips)],
    [279, longType, stripBytes],
    ...(tableBytes > 0 ? ([[347, 7, 0]] as const) : []),
  ] as const;
  const head = Buffer.alloc(8 + 2 + fields.length * 12 + 4);
  // One value stands in its field, several do behind the head.
  const lists = strips === 1 ? [] : [273, 279];
  const stripAt = head.length + lists.length * strips * 4;
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(fields.length, 8);
  const written = fields.flatMap(([tag, type, own], index) => {
    const value = tag === 273 ? stripAt : own;
    const list = lists.indexOf(tag);
    const at = 10 + index * 12;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(type, at + 2);
    head.writeUInt32LE(tag === 347 ? tableBytes : list < 0 ? 1 : strips, at + 4);
    head.writeUInt32LE(list < 0 ? value : head.length + list * strips * 4, at + 8);
    return list < 0 ? [] : [Buffer.from(Uint32Array.from({ length: strips }, () => value).buffer)];
  });
  return Buffer.concat([head, ...written, strip]);
}
