import sharp from 'sharp';

/** How an AVIF is put together; by default it is one picture. */
interface AvifParts {
  /** Width and height of each tile. */
  readonly side: number;
  readonly tiles?: number;
  /** How often the frame of a tile is there. */
  readonly frames?: number;
  /** The item that is shown, made of the tiles, and how large it says it is. */
  readonly derived?: { readonly type: string; readonly payload: Buffer; readonly side: number };
  /** How many such items there are; only the last is shown. */
  readonly deriveds?: number;
  /** Of the place of items; with the last, all numbers of items are as wide as can be. */
  readonly version?: 0 | 1 | 2;
  /** How often such an item names each of its tiles. */
  readonly uses?: number;
  /** Further references between items. */
  readonly references?: readonly Buffer[];
  /** Names of the transformations of each item: `irot`, `imir`. */
  readonly turns?: readonly string[];
}

export const be = (bytes: number, ...values: number[]): Buffer => {
  const buffer = Buffer.alloc(bytes * values.length);
  values.forEach((value, index) => buffer.writeUIntBE(value, index * bytes, bytes));
  return buffer;
};

export const box = (type: string, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  return Buffer.concat([be(4, body.length + 8), Buffer.from(type), body]);
};

const versioned = (type: string, version: number, ...parts: Buffer[]): Buffer =>
  box(type, be(1, version, 0, 0, 0), ...parts);

/** What a grid says: rows and columns of tiles, and the size of the picture. */
export function gridOf(rows: number, columns: number, width: number, height: number): Buffer {
  return Buffer.concat([be(1, 0, 0, rows - 1, columns - 1), be(2, width, height)]);
}

/** What an overlay says: its colour and size, and where the one tile lies. */
export function overlayOf(width: number, height: number): Buffer {
  return Buffer.concat([be(1, 0, 1), be(2, 0, 0, 0, 65_535), be(4, width, height, 0, 0)]);
}

/** An AVIF whose items are as given, whether or not they fit together. The tiles share their bytes. */
export async function composeAvif(parts: AvifParts): Promise<Buffer> {
  const { side, tiles = 1, frames = 1, derived, deriveds = derived ? 1 : 0, version = 0 } = parts;
  const { uses = 1, turns = [] } = parts;
  const create = { width: side, height: side, channels: 3, background: 'teal' } as const;
  const tile = await sharp({ create }).avif({ effort: 0, quality: 20 }).toBuffer();
  const boxOf = (type: string): Buffer => {
    const at = tile.indexOf(type) - 4;
    return tile.subarray(at, at + tile.readUInt32BE(at));
  };
  const isWide = Number(version === 2);
  const id = (...values: number[]): Buffer => be(isWide ? 4 : 2, ...values);
  const picture = Buffer.concat(Array<Buffer>(frames).fill(boxOf('mdat').subarray(8)));
  const payload = derived?.payload ?? Buffer.alloc(0);
  // Each derived item has tiles of its own.
  const ownTiles = tiles * Math.max(1, deriveds);
  const tileIds = Array.from({ length: ownTiles }, (_, index) => index + 1);
  const derivedIds = Array.from({ length: deriveds }, (_, index) => ownTiles + index + 1);
  const ids = [...tileIds, ...derivedIds];

  const typeOf = (item: number): string => (item > ownTiles ? (derived?.type ?? '') : 'av01');
  const entries = ids.map((item) => {
    const body = [id(item), be(2, 0), Buffer.from(`${typeOf(item)}\0`)];
    return versioned('infe', 2 + isWide, ...body);
  });
  const references = derivedIds.map((item, index) => {
    const own = tileIds.slice(index * tiles, (index + 1) * tiles);
    const named = Array.from({ length: uses }, () => own).flat();
    return box('dimg', id(item), be(2, named.length), id(...named));
  });
  const shownSide = derived?.side ?? side;
  const properties = box(
    'ipco',
    boxOf('av1C'),
    versioned('ispe', 0, be(4, side, side)),
    versioned('ispe', 0, be(4, shownSide, shownSide)),
    versioned('pixi', 0, be(1, 3, 8, 8, 8)),
    ...turns.map((name) => box(name, be(1, 1))),
  );
  const essential = isWide ? 0x8000 : 0x80;
  const turnIndices = turns.map((_, index) => essential + 5 + index);
  const associations = ids.map((item) => {
    const indices = [...(item > ownTiles ? [3, 4] : [essential + 1, 2, 4]), ...turnIndices];
    return Buffer.concat([id(item), be(1, indices.length), be(1 + isWide, ...indices)]);
  });
  const head = (offset: number): Buffer => {
    const places = ids.map((item) => {
      const place = item > ownTiles ? [offset + picture.length, payload.length] : [offset, picture.length];
      const method = version === 0 ? [] : [be(2, 0)];
      return Buffer.concat([id(item), ...method, be(2, 0, 1), be(4, ...place)]);
    });
    return Buffer.concat([
      box('ftyp', Buffer.from('avif\0\0\0\0avifmif1miafMA1B')),
      versioned(
        'meta',
        0,
        versioned('hdlr', 0, be(4, 0), Buffer.from('pict'), Buffer.alloc(13)),
        versioned('pitm', isWide, id(ids.length)),
        versioned('iloc', version, be(1, 0x44, 0), id(ids.length), ...places),
        versioned('iinf', isWide, id(ids.length), ...entries),
        versioned('iref', isWide, ...references, ...(parts.references ?? [])),
        box('iprp', properties, box('ipma', be(1, isWide, 0, 0, isWide), be(4, ids.length), ...associations)),
      ),
    ]);
  };
  return Buffer.concat([head(head(0).length + 8), box('mdat', picture, payload)]);
}
