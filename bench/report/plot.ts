import { svgPicture, svgText } from '../../tests/helpers/pictures/svg.js';
import type { SystemFacts } from '../measure/records.js';
import type { Row } from './table.js';

const width = 900;
const barHeight = 18;
const left = 250;
const right = 230;
const colours: Readonly<Record<string, string>> = {
  limit: '#9aa0a6',
  core: '#1a73e8',
  facade: '#1a73e8',
  launcher: '#1a73e8',
};
const peerColour = '#c5a16f';

/** Throughput by set at 8 requests at a time: a bar a system, on a scale of its own for each set. */
export function renderPlot(
  rows: readonly Row[],
  systems: Readonly<Record<string, SystemFacts>>,
  titles: Readonly<Record<string, string>>,
): string {
  const shown = rows.filter(({ concurrency }) => concurrency === 8);
  const parts: string[] = [];
  let y = 34;
  for (const set of new Set(shown.map((row) => row.set))) {
    const group = shown.filter((row) => row.set === set);
    const most = Math.max(...group.map(({ throughput }) => throughput));
    parts.push(svgText(16, y, titles[set] ?? set, 'font-weight="600"'));
    y += 10;
    for (const { system, throughput, p50, p99 } of group) {
      const length = Math.max(1, ((width - left - right) * throughput) / most);
      const fill = colours[system] ?? peerColour;
      const opacity = system === 'limit' || system === 'core' || !(system in colours) ? 1 : 0.6;
      parts.push(
        svgText(left - 8, y + 13, systems[system]?.title ?? system, 'text-anchor="end"'),
        `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="${barHeight - 4}" rx="2" fill="${fill}" opacity="${opacity}"/>`,
        svgText(
          left + length + 6,
          y + 12,
          `${throughput.toFixed(1)}/s, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
        ),
      );
      y += barHeight;
    }
    y += 34;
  }
  const title = svgText(16, 16, 'Answers a second, 8 requests at a time; longer is better');
  return svgPicture(width, y, [title, ...parts]);
}
