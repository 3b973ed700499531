import { type ChartPoint, percentTicks, renderChart } from '../chart.js';
import { type ReliabilityBin, wilson } from './meter-metrics.js';
import type { Share, Summary } from './meter-summary.js';

/** File names and SVG pictures. */
export function meterCharts(
  sources: Readonly<Record<string, Summary>>,
  bins: readonly ReliabilityBin[],
): Record<string, string> {
  const rows = Object.entries(sources);
  const of = (pick: (summary: Summary) => Share, shift: number): ChartPoint[] =>
    rows.map(([, summary], i) => {
      const { share, low, high } = pick(summary);
      return { x: i + shift, y: share, low, high };
    });
  return {
    'meter-sources.svg': renderChart({
      title: 'Readings by source, with 95 % intervals',
      x: { label: 'source', from: -0.5, to: rows.length - 0.5, ticks: rows.map(([label], at) => ({ at, label })) },
      y: { label: 'right', from: 0, to: 1, ticks: percentTicks(0.2) },
      series: [
        { name: 'before the point', isLine: false, points: of(({ integer }) => integer, -0.1) },
        { name: 'all wheels', isLine: false, points: of(({ full }) => full, 0.1) },
      ],
    }),
    'meter-reliability.svg': renderChart({
      title: 'Confidence given and share right, with 95 % intervals',
      x: { label: 'confidence', from: 0, to: 1, ticks: percentTicks(0.2) },
      y: { label: 'right', from: 0, to: 1, ticks: percentTicks(0.2) },
      series: [
        {
          name: 'answers in ten bins',
          isLine: false,
          points: bins.map(({ given, right, count }) => ({
            x: given,
            y: right,
            ...wilson(Math.round(right * count), count),
          })),
        },
      ],
      hasDiagonal: true,
    }),
  };
}
