/**
 * A small alphabet of strokes, so that pictures look the same on every machine: text in an SVG would be
 * drawn in whatever font is installed. Each glyph fits a box of 60 by 100; letters are those of `ok`, `check` and `m3`.
 */
const strokes: Readonly<Record<string, string>> = {
  '0': 'M30 6C10 6 6 28 6 50S10 94 30 94 54 72 54 50 50 6 30 6Z',
  '1': 'M14 26 36 7V94',
  '2': 'M8 29C8-2 52-2 52 29 52 48 28 64 8 93H54',
  '3': 'M8 24C13-2 51 0 51 27 51 45 36 47 24 47 38 47 54 52 54 70 54 101 11 102 6 74',
  '4': 'M43 94V8L6 70H57',
  '5': 'M51 7H16L11 46C22 36 54 37 54 66 54 99 12 102 6 75',
  '6': 'M47 8C18 16 6 42 6 65 6 103 54 103 54 66 54 33 14 32 7 60',
  '7': 'M6 7H54L24 94',
  '8': 'M30 6C3 6 3 46 30 46S57 6 30 6ZM30 46C-2 46-2 94 30 94S62 46 30 46Z',
  '9': 'M13 92C42 84 54 58 54 35 54-3 6-3 6 34 6 67 46 68 53 40',
  m: 'M4 94V40M4 58C6 34 30 34 30 58V94M30 58C32 34 56 34 56 58V94',
  c: 'M51 52C42 32 9 36 9 67S42 102 51 82',
  e: 'M10 67H50C50 30 9 30 9 67 9 100 42 102 50 82',
  h: 'M10 94V6M10 62C12 34 50 34 50 62V94',
  k: 'M10 94V6M50 40 10 72M26 60 52 94',
  o: 'M30 40C16 40 9 50 9 67S16 94 30 94 51 84 51 67 44 40 30 40Z',
  '.': 'M30 92V94',
  '%': 'M10 94 50 6M16 8C4 8 4 38 16 38S28 8 16 8ZM44 62C32 62 32 92 44 92S56 62 44 62Z',
  ' ': '',
};

interface TextStyle {
  readonly x: number;
  readonly y: number;
  /** Height of a capital letter, pixels. */
  readonly height: number;
  readonly colour: string;
}

/** From one glyph's left edge to the next, by the height. */
const advance = 0.78;

/** Width of a word of this height, from the left edge of its first glyph to the right of its last. */
export function textWidth(text: string, height: number): number {
  return (text.length - 1) * advance * height + 0.6 * height;
}

/** Draws a word as SVG paths, its top left at x, y. @throws Error for a character that the alphabet lacks */
export function drawText(text: string, style: TextStyle): string {
  const { x, y, height, colour } = style;
  const scale = height / 100;
  const paths = [...text].map((character, index) => {
    const path = strokes[character];
    if (path === undefined) throw new Error(`the alphabet has no "${character}"`);
    const shift = `translate(${(x + index * advance * height).toFixed(2)} ${y}) scale(${scale})`;
    return `<path transform="${shift}" d="${path}"/>`;
  });
  return `<g fill="none" stroke="${colour}" stroke-width="14" stroke-linejoin="round" stroke-linecap="square">${paths.join('')}</g>`;
}
