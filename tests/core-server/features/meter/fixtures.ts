import sharp from 'sharp';
import type { CounterReading, SeenCounter } from '../../../../core-server/features/meter/counter-reading.js';
import type { Quad } from '../../../../core-server/features/meter/geometry.js';

/** A box of that size with its top left corner there, turned by an angle in degrees about it. */
export function box(x: number, y: number, width: number, height: number, degrees = 0): Quad {
  const cos = Math.cos((degrees * Math.PI) / 180);
  const sin = Math.sin((degrees * Math.PI) / 180);
  const at = (u: number, v: number) => ({ x: x + u * cos - v * sin, y: y + u * sin + v * cos });
  return [at(0, 0), at(width, 0), at(width, height), at(0, height)];
}

/** A counter that nothing is doubtful about. @param wheels by default one, all that there is of it */
export function sureCounter(quad: Quad, wheels?: CounterReading['wheels']): CounterReading {
  return {
    wheels: wheels ?? [{ digit: '7', confidence: 1, quad, betweenPositions: false }],
    quad,
    digitsConfidence: 1,
    fractionConfidence: 1,
    fractionWheels: 0,
    isFractionSure: true,
    rivalled: false,
    wheelBefore: false,
    alternatives: [],
  };
}

/** The same, as the networks saw it. */
export function seenCounter(quad: Quad): SeenCounter {
  return { counter: sureCounter(quad), hypothesis: { strips: [], readings: new Map() } };
}

/** Digits as strokes on a field of 10 × 16: drawn, not set, so that no font needs to be installed. */
const strokes: Readonly<Record<string, string>> = {
  '0': 'M5 1 C1 1 1 15 5 15 C9 15 9 1 5 1 Z',
  '1': 'M2.5 4 L5.5 1 L5.5 15',
  '2': 'M1.5 4.5 C2 0 8.5 0 8.5 5 C8.5 8 2 12 1.5 15 L8.8 15',
  '3': 'M1.5 3 C3 0 8.5 .5 8.2 4.5 C8 7 6 7.5 4 7.5 C6 7.5 8.8 8 8.7 11.5 C8.5 16 2 16 1.2 12.5',
  '4': 'M6.8 15 L6.8 1 L1 10.8 L9 10.8',
  '5': 'M8.3 1 L2.4 1 L2 7.2 C5 5 8.8 6.5 8.7 10.5 C8.5 15.8 2.5 16 1.3 12.8',
  '6': 'M7.8 1 C3 3.5 1.3 7.5 1.4 10.8 C1.8 16.5 8.6 16.2 8.7 10.8 C8.6 6 2.5 6 1.5 10',
  '7': 'M1.2 1 L8.8 1 C6 5 4.5 9 4 15',
  '8': 'M5 7.5 C1 7 1.2 1 5 1 C8.8 1 9 7 5 7.5 C.5 8 .5 15 5 15 C9.5 15 9.5 8 5 7.5 Z',
  '9': 'M8.5 6.5 C7.5 10.5 1.5 10 1.4 5.4 C1.4 -.3 8.4 -.3 8.6 5.4 C8.7 9 7 13 3 15',
};

interface MeterLook {
  /** Degrees that the meter is turned by, clockwise. */
  readonly turn?: number;
  /** The last wheel has rolled on by this share of a step, 0..1. */
  readonly rolled?: number;
  /** Share of the light that is left. */
  readonly light?: number;
  /** A lamp is mirrored on the wheels. */
  readonly glare?: boolean;
}

/**
 * A photo-like picture (800 × 600) of a meter's face with a counter: black wheels, then red ones.
 *
 * @param digits all wheels from left to right
 * @param redWheels how many at the end are fractions
 */
export async function renderMeter(
  digits: string,
  redWheels: number,
  { turn = 0, rolled = 0, light = 1, glare = false }: MeterLook = {},
): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600">
    <rect width="800" height="600" fill="#6d7378"/>
    <g transform="rotate(${turn} 400 300)">
      <circle cx="400" cy="300" r="270" fill="#8a6f3c"/>
      <circle cx="400" cy="300" r="240" fill="#e9e7df"/>
      ${counterSvg(digits, redWheels, 262, rolled)}
      <circle cx="400" cy="180" r="34" fill="none" stroke="#b3261e" stroke-width="4"/>
      <path d="M400 180 L420 158" stroke="#b3261e" stroke-width="6"/>
      ${glare ? '<ellipse cx="520" cy="268" rx="60" ry="14" fill="#fff"/>' : ''}
    </g></svg>`;
  return sharp(Buffer.from(svg)).blur(0.7).linear(light, 0).flatten().jpeg({ quality: 90 }).toBuffer();
}

/** Two such pictures as one, side by side. */
export async function sideBySide(left: Buffer, right: Buffer): Promise<Buffer> {
  const wide = sharp(left).extend({ right: 800 });
  return wide
    .composite([{ input: right, left: 800, top: 0 }])
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** A row of wheels, from that height on; the last one may stand between two digits. */
function counterSvg(digits: string, redWheels: number, top: number, rolled: number): string {
  const pitch = 46;
  const left = 400 - (digits.length * pitch) / 2;
  const wheels = [...digits].map((digit, index) => {
    const x = left + index * pitch;
    const isLast = index === digits.length - 1;
    const next = String((Number(digit) + 1) % 10);
    const glyph = (text: string, y: number): string =>
      `<g transform="translate(8 ${y}) scale(3)" fill="none" stroke="#f4f2ea"
        stroke-width="1.9" stroke-linejoin="round"><path d="${strokes[text] ?? ''}"/></g>`;
    const up = isLast ? rolled * 66 : 0;
    return `<svg x="${x}" y="${top}" width="${pitch}" height="66">
      <rect x="2" width="${pitch - 4}" height="66" rx="3"
        fill="${index >= digits.length - redWheels ? '#b3261e' : '#17181a'}"/>
      ${glyph(digit, 10 - up)}${glyph(next, 76 - up)}</svg>`;
  });
  return `<rect x="${left - 10}" y="${top - 10}" width="${digits.length * pitch + 20}" height="86"
      rx="4" fill="#2c2d30"/>${wheels.join('')}`;
}

/** A picture without a meter: soft hills under a sky. */
export async function renderLandscape(): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
    <rect width="640" height="480" fill="#9fc4e8"/><circle cx="500" cy="90" r="40" fill="#fff3c4"/>
    <path d="M0 300 Q160 200 320 300 T640 280 V480 H0 Z" fill="#5d8a4a"/>
    <path d="M0 380 Q200 300 400 390 T640 370 V480 H0 Z" fill="#3f6b35"/></svg>`;
  return sharp(Buffer.from(svg)).blur(1).jpeg().toBuffer();
}

/** Pictures that have something of a counter and are none. */
export async function renderOtherThings(): Promise<Record<string, Buffer>> {
  const picture = (content: string): Promise<Buffer> =>
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
          <rect width="640" height="480" fill="#d8d4c8"/>${content}</svg>`,
      ),
    )
      .blur(0.7)
      .jpeg()
      .toBuffer();
  const grid = (width: number, height: number, cell: (x: number, y: number) => string): string =>
    Array.from({ length: width * height }, (_, i) => cell(i % width, Math.floor(i / width))).join('');
  return {
    grey: await picture(''),
    'a chessboard': await picture(
      grid(8, 8, (x, y) =>
        (x + y) % 2 === 0 ? '' : `<rect x="${120 + x * 50}" y="${40 + y * 50}" width="50" height="50" fill="#222"/>`,
      ),
    ),
    'a keyboard': await picture(
      grid(10, 4, (x, y) => {
        const at = `x="${60 + x * 52}" y="${140 + y * 52}"`;
        return `<rect ${at} width="46" height="46" rx="6" fill="#303236"/>`;
      }),
    ),
    bricks: await picture(
      grid(9, 12, (x, y) => {
        const at = `x="${x * 80 - (y % 2) * 40}" y="${y * 42}"`;
        return `<rect ${at} width="76" height="38" fill="#9c4a34"/>`;
      }),
    ),
  };
}
