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
  const { number, field } = tiffWriter('II*');
  const [shortType, longType] = [3, 4];
  const headBytes = 8 + 2 + (tableBytes > 0 ? 9 : 8) * 12 + 4;
  // One value stands in its field, several do behind the head.
  const listBytes = strips === 1 ? 0 : 4 * strips;
  const stripAt = headBytes + 2 * listBytes;
  const fields = [
    field(256, longType, 1, width),
    field(257, longType, 1, height),
    field(258, shortType, 1, 8),
    field(259, shortType, 1, compression),
    field(262, shortType, 1, 1),
    field(273, longType, strips, headBytes),
    field(278, longType, 1, Math.ceil(height / strips)),
    field(279, longType, strips, listBytes > 0 ? headBytes + listBytes : stripBytes),
    ...(tableBytes > 0 ? [field(347, 7, tableBytes, 0)] : []),
  ];
  const lists = [stripAt, stripBytes].map((value) => Buffer.alloc(listBytes, number(value, 4)));
  return Buffer.concat([composeDirectories('II*', [fields]), ...lists, strip]);
}

/** The byte order of a TIFF, and whether it is a BigTIFF. */
export type TiffForm = (typeof tiffForms)[number];
export const tiffForms = ['II*', 'MM*', 'II+', 'MM+'] as const;

/** How it writes numbers, of at most four bytes that are not zero, and fields of one value or of where the values are. */
export function tiffWriter(form: TiffForm) {
  const number = (value: number, bytes: number): Buffer => {
    const buffer = Buffer.alloc(bytes);
    if (form.startsWith('II')) buffer.writeUIntLE(value, 0, Math.min(bytes, 4));
    else buffer.writeUIntBE(value, Math.max(0, bytes - 4), Math.min(bytes, 4));
    return buffer;
  };
  const width = form.endsWith('+') ? 8 : 4;
  const field = (tag: number, type: number, count: number, value: number | Buffer): Buffer => {
    const short = type === 3 && count === 1;
    const written = typeof value !== 'number' ? value : number(value, short ? 2 : count === 1 ? 4 : width);
    const head = [number(tag, 2), number(type, 2), number(count, width)];
    return Buffer.concat([...head, written, Buffer.alloc(width - written.length)]);
  };
  return { number, field };
}

/** Directories of such fields, one after the other; the last leads to `last`. @param before what stands before them */
export function composeDirectories(
  form: TiffForm,
  directories: readonly (readonly Buffer[])[],
  last = 0,
  before = Buffer.alloc(0),
): Buffer {
  const { number } = tiffWriter(form);
  const [head, version, counts, offsets] = form.endsWith('+')
    ? [16, [number(43, 2), number(8, 2), number(0, 2)], 8, 8]
    : [8, [number(42, 2)], 2, 4];
  let at = head + before.length;
  const parts = [Buffer.from(form.slice(0, 2)), ...version, number(at, offsets), before];
  directories.forEach((fields, index) => {
    const body = Buffer.concat([number(fields.length, counts), ...fields]);
    at += body.length + offsets;
    parts.push(body, number(index + 1 < directories.length ? at : last, offsets));
  });
  return Buffer.concat(parts);
}
