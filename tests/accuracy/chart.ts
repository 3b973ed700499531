import { svgPicture, svgText } from '../helpers/pictures/svg.js';

/** A point; `low` and `high` are the ends of its interval. */
export interface ChartPoint {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
}

interface ChartSeries {
  readonly name: string;
  readonly points: readonly ChartPoint[];
  readonly isLine: boolean;
}

interface ChartAxis {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
}

interface Chart {
  readonly title: string;
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  readonly series: readonly ChartSeries[];
  /** A dashed line between two corners: where both axes agree. */
  readonly hasDiagonal?: boolean;
}

const width = 560;
const height = 360;
const left = 64;
const top = 40;
const plotWidth = width - left - 20;
const plotHeight = height - top - 84;
// Told apart by people with any colour sense (Okabe and Ito, 2008).
const colours = ['#0072b2', '#d55e00', '#8a8a8a', '#009e73'];

/** Ticks at every `step` from 0 to 1, labelled in percent. */
export function percentTicks(step: number): ChartAxis['ticks'] {
  return Array.from({ length: Math.round(1 / step) + 1 }, (_, i) => ({
    at: i * step,
    label: `${Math.round(100 * i * step)} %`,
  }));
}

/** An SVG picture of series over two linear axes. */
export function renderChart({ title, x, y, series, hasDiagonal = false }: Chart): string {
  const toX = (value: number): number => left + (plotWidth * (value - x.from)) / (x.to - x.from);
  const toY = (value: number): number => top + plotHeight * (1 - (value - y.from) / (y.to - y.from));
  const bottom = top + plotHeight;
  const parts = [svgText(left, 22, title, 'font-weight="600"')];
  for (const { at, label } of y.ticks) {
    parts.push(line(left, toY(at), left + plotWidth, toY(at), 'stroke="#e4e4e4"'));
    parts.push(svgText(left - 8, toY(at) + 4, label, 'text-anchor="end"'));
  }
  for (const { at, label } of x.ticks) {
    parts.push(line(toX(at), bottom, toX(at), bottom + 4, 'stroke="#8a8a8a"'));
    parts.push(svgText(toX(at), bottom + 18, label, 'text-anchor="middle"'));
  }
  parts.push(svgText(left + plotWidth / 2, bottom + 38, x.label, 'text-anchor="middle"'));
  const middle = top + plotHeight / 2;
  parts.push(svgText(16, middle, y.label, `text-anchor="middle" transform="rotate(-90 16 ${middle})"`));
  if (hasDiagonal)
    parts.push(line(toX(x.from), toY(y.from), toX(x.to), toY(y.to), 'stroke="#8a8a8a" stroke-dasharray="4"'));
  for (const [i, { name, points, isLine }] of series.entries()) {
    const colour = colours[i % colours.length] ?? '#000000';
    if (isLine) {
      const path = points.map((p) => `${toX(p.x).toFixed(1)},${toY(p.y).toFixed(1)}`).join(' ');
      parts.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    } else {
      for (const { x: px, y: py, low = py, high = py } of points) {
        parts.push(line(toX(px), toY(low), toX(px), toY(high), `stroke="${colour}"`));
        parts.push(`<circle cx="${toX(px)}" cy="${toY(py)}" r="4" fill="${colour}"/>`);
      }
    }
    const at = left + i * 160;
    parts.push(`<rect x="${at}" y="${height - 22}" width="12" height="12" fill="${colour}"/>`);
    parts.push(svgText(at + 18, height - 12, name));
  }
  return svgPicture(width, height, parts);
}

function line(x1: number, y1: number, x2: number, y2: number, more: string): string {
  const [a, b, c, d] = [x1, y1, x2, y2].map((value) => value.toFixed(1));
  return `<line x1="${a}" y1="${b}" x2="${c}" y2="${d}" ${more}/>`;
}
