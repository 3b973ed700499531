import sharp from 'sharp';

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

/**
 * A photo-like picture (800 × 600) of a meter's face with a counter: black wheels, then red ones.
 *
 * @param digits all wheels from left to right
 * @param redWheels how many at the end are fractions
 * @param turn degrees that the meter is turned by, clockwise
 */
export async function renderMeter(digits: string, redWheels: number, turn = 0): Promise<Buffer> {
  const pitch = 46;
  const left = 400 - (digits.length * pitch) / 2;
  const wheels = [...digits].map((digit, index) => {
    const red = index >= digits.length - redWheels;
    const x = left + index * pitch;
    return `<rect x="${x + 2}" y="262" width="${pitch - 4}" height="66" rx="3"
        fill="${red ? '#b3261e' : '#17181a'}"/>
      <g transform="translate(${x + 8} 272) scale(3)" fill="none" stroke="#f4f2ea"
        stroke-width="1.9" stroke-linejoin="round"><path d="${strokes[digit] ?? ''}"/></g>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600">
    <rect width="800" height="600" fill="#6d7378"/>
    <g transform="rotate(${turn} 400 300)">
      <circle cx="400" cy="300" r="270" fill="#8a6f3c"/>
      <circle cx="400" cy="300" r="240" fill="#e9e7df"/>
      <rect x="${left - 10}" y="252" width="${digits.length * pitch + 20}" height="86" rx="4"
        fill="#2c2d30"/>
      ${wheels.join('')}
      <circle cx="400" cy="430" r="34" fill="none" stroke="#b3261e" stroke-width="4"/>
      <path d="M400 430 L420 408" stroke="#b3261e" stroke-width="6"/>
    </g></svg>`;
  return sharp(Buffer.from(svg)).blur(0.7).jpeg({ quality: 90 }).toBuffer();
}

/** A picture without a meter: soft hills under a sky. */
export async function renderLandscape(): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
    <rect width="640" height="480" fill="#9fc4e8"/><circle cx="500" cy="90" r="40" fill="#fff3c4"/>
    <path d="M0 300 Q160 200 320 300 T640 280 V480 H0 Z" fill="#5d8a4a"/>
    <path d="M0 380 Q200 300 400 390 T640 370 V480 H0 Z" fill="#3f6b35"/></svg>`;
  return sharp(Buffer.from(svg)).blur(1).jpeg().toBuffer();
}
