import { drawText } from '../tools/annotate/stroke-font.js';

/** Side of the square picture, pixels. */
export const pictureSide = 1200;

const centre = pictureSide / 2;
const wheel = { width: 66, height: 104, gap: 5, top: 440 };

/** What the counter shows: wheels of whole cubic metres, then of the fraction. */
interface CounterReading {
  readonly whole: string;
  readonly fraction: string;
}

/** A water meter from the front as SVG: housing, dial, counter, leak indicator and pointer. */
export function meterSvg(reading: CounterReading): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureSide}" height="${pictureSide}">
${definitions}
<rect width="100%" height="100%" fill="url(#wall)"/>
${pipe()}
<ellipse cx="${centre + 14}" cy="${centre + 30}" rx="505" ry="505" fill="#000" opacity="0.55" filter="url(#blur)"/>
<g transform="rotate(-2.5 ${centre} ${centre})">
${housing()}
${dialPrint()}
${counter(reading)}
${leakIndicator(440, 735)}
${pointer(775, 745)}
</g>
${glass()}
</svg>`;
}

const definitions = `<defs>
<linearGradient id="wall" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#6d6a63"/><stop offset="0.6" stop-color="#4b4843"/><stop offset="1" stop-color="#2c2a27"/></linearGradient>
<linearGradient id="pipe" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#4a3b22"/><stop offset="0.3" stop-color="#b99a5b"/><stop offset="0.45" stop-color="#e3cd94"/><stop offset="1" stop-color="#3c2f1a"/></linearGradient>
<linearGradient id="brass" x1="0.1" y1="0" x2="0.9" y2="1"><stop offset="0" stop-color="#e8d299"/><stop offset="0.35" stop-color="#b08d49"/><stop offset="0.7" stop-color="#7d602b"/><stop offset="1" stop-color="#c9ab68"/></linearGradient>
<radialGradient id="dial" cx="0.42" cy="0.36" r="0.75"><stop offset="0" stop-color="#f7f6f0"/><stop offset="0.75" stop-color="#e7e5dc"/><stop offset="1" stop-color="#bdbab0"/></radialGradient>
<linearGradient id="drum" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#000" stop-opacity="0.62"/><stop offset="0.24" stop-color="#000" stop-opacity="0.05"/><stop offset="0.5" stop-color="#fff" stop-opacity="0.10"/><stop offset="0.76" stop-color="#000" stop-opacity="0.05"/><stop offset="1" stop-color="#000" stop-opacity="0.62"/></linearGradient>
<filter id="blur"><feGaussianBlur stdDeviation="22"/></filter>
<filter id="soft"><feGaussianBlur stdDeviation="9"/></filter>
</defs>`;

function pipe(): string {
  return `<rect y="${centre - 135}" width="${pictureSide}" height="270" fill="url(#pipe)"/>
<rect x="46" y="${centre - 175}" width="110" height="350" rx="14" fill="url(#pipe)"/>
<rect x="${pictureSide - 156}" y="${centre - 175}" width="110" height="350" rx="14" fill="url(#pipe)"/>`;
}

function housing(): string {
  return `<circle cx="${centre}" cy="${centre}" r="500" fill="url(#brass)"/>
<circle cx="${centre}" cy="${centre}" r="498" fill="none" stroke="#f6e7bb" stroke-opacity="0.5" stroke-width="4"/>
<circle cx="${centre}" cy="${centre}" r="436" fill="#33291a"/>
<circle cx="${centre}" cy="${centre}" r="424" fill="url(#dial)"/>
<circle cx="${centre}" cy="${centre}" r="424" fill="none" stroke="#000" stroke-opacity="0.35" stroke-width="10" filter="url(#soft)"/>`;
}

function dialPrint(): string {
  const ink = '#23262b';
  return [
    drawText('WATER', { x: centre, y: 292, height: 46, colour: '#1d4f91', anchor: 'middle' }),
    drawText('Q 2.5 m', { x: 468, y: 372, height: 24, colour: ink }),
    drawText('3', { x: 604, y: 366, height: 13, colour: ink }),
    drawText('/h', { x: 618, y: 372, height: 24, colour: ink }),
    drawText('m', { x: 898, y: 462, height: 60, colour: ink, weight: 0.13 }),
    drawText('3', { x: 942, y: 452, height: 28, colour: ink, weight: 0.14 }),
  ].join('\n');
}

function counter({ whole, fraction }: CounterReading): string {
  const count = whole.length + fraction.length;
  const step = wheel.width + wheel.gap;
  const left = centre - (count * step - wheel.gap) / 2 - 12;
  const width = count * step - wheel.gap;
  const digits = [...whole, ...fraction];
  const wheels = digits.map((digit, index) => drawWheel(digit, left + index * step, index >= whole.length));
  const fractionLeft = left + whole.length * step - wheel.gap;
  return `<rect x="${left - 18}" y="${wheel.top - 18}" width="${width + 36}" height="${wheel.height + 36}" rx="10" fill="#15161a"/>
<rect x="${fractionLeft}" y="${wheel.top - 18}" width="${left + width + 18 - fractionLeft}" height="${wheel.height + 36}" rx="10" fill="#b3202a"/>
${wheels.join('\n')}
<rect x="${left - 18}" y="${wheel.top - 18}" width="${width + 36}" height="14" fill="#000" opacity="0.35"/>`;
}

/** One wheel: its digit, the edges of its neighbours rolling in, and the shade of a drum. */
function drawWheel(digit: string, x: number, isFraction: boolean): string {
  const { width, height, top } = wheel;
  const [paper, ink] = isFraction ? ['#c8242f', '#fff4f0'] : ['#f3f1e8', '#17181b'];
  const digitHeight = 74;
  const style = { x: x + width / 2, height: digitHeight, colour: ink, weight: 0.15 } as const;
  const at = (character: number, y: number) =>
    drawText(String((character + 10) % 10), { ...style, y, anchor: 'middle' });
  const y = top + (height - digitHeight) / 2;
  const pitch = 102;
  const value = Number(digit);
  const clip = `wheel-${x}`;
  return `<clipPath id="${clip}"><rect x="${x}" y="${top}" width="${width}" height="${height}" rx="4"/></clipPath>
<g clip-path="url(#${clip})"><rect x="${x}" y="${top}" width="${width}" height="${height}" fill="${paper}"/>
${at(value - 1, y - pitch)}${at(value, y)}${at(value + 1, y + pitch)}
<rect x="${x}" y="${top}" width="${width}" height="${height}" fill="url(#drum)"/></g>`;
}

/** The little star that turns with the smallest flow. */
function leakIndicator(x: number, y: number): string {
  const points = Array.from({ length: 24 }, (_, index) => {
    const radius = index % 2 === 0 ? 52 : 30;
    const angle = (index / 24) * 2 * Math.PI + 0.1;
    return `${(x + radius * Math.cos(angle)).toFixed(1)},${(y + radius * Math.sin(angle)).toFixed(1)}`;
  });
  return `<circle cx="${x}" cy="${y}" r="66" fill="#dad8cf" stroke="#8a877e" stroke-width="3"/>
<polygon points="${points.join(' ')}" fill="#20242c"/><circle cx="${x}" cy="${y}" r="9" fill="#b9bcc2"/>`;
}

/** The dial of the fourth decimal place. */
function pointer(x: number, y: number): string {
  const radius = 112;
  const marks = Array.from({ length: 10 }, (_, index) => {
    const angle = (index / 10) * 2 * Math.PI - Math.PI / 2;
    const on = (r: number) => `${(x + r * Math.cos(angle)).toFixed(1)} ${(y + r * Math.sin(angle)).toFixed(1)}`;
    const label = drawText(String(index), {
      x: x + 78 * Math.cos(angle),
      y: y + 78 * Math.sin(angle) - 10,
      height: 20,
      colour: '#23262b',
      anchor: 'middle',
    });
    return `<path d="M${on(radius - 2)}L${on(radius - 16)}" stroke="#23262b" stroke-width="4"/>${label}`;
  });
  return `<circle cx="${x}" cy="${y}" r="${radius}" fill="#f4f2ea" stroke="#23262b" stroke-width="4"/>
${marks.join('')}
<g transform="rotate(122 ${x} ${y})"><path d="M${x - 11} ${y + 34}L${x} ${y - 62}L${x + 11} ${y + 34}Z" fill="#c8242f"/></g>
<circle cx="${x}" cy="${y}" r="15" fill="#c8242f"/>
${drawText('x 0.0001', { x, y: y + 130, height: 22, colour: '#c8242f', anchor: 'middle' })}`;
}

/** Light on the glass, away from the counter. */
function glass(): string {
  return `<path d="M270 395A400 400 0 0 1 520 208A560 560 0 0 0 300 430Z" fill="#fff" opacity="0.30" filter="url(#soft)"/>
<path d="M905 842A400 400 0 0 1 790 940A560 560 0 0 0 890 830Z" fill="#fff" opacity="0.22" filter="url(#soft)"/>`;
}
