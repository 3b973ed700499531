import { percentTicks, renderChart } from '../chart.js';
import { precisionRecallCurve, type TrueFace } from './detection-metrics.js';
import { type FaceFigures, type FaceRun, sideClasses } from './face-figures.js';

/** What the charts of one detector are drawn from. */
interface ChartedDetector {
  readonly name: string;
  readonly runs: readonly FaceRun[];
  readonly figures: FaceFigures;
}

const isHard = (face: TrueFace): boolean => face.subsets.includes('hard');
/** A curve of thousands of points looks no better. */
const maxPoints = 200;

/** File names and SVG pictures. */
export function faceCharts(detectors: readonly ChartedDetector[]): Record<string, string> {
  const share = { from: 0, to: 1, ticks: percentTicks(0.2) };
  return {
    'face-precision-recall.svg': renderChart({
      title: 'Faces of WIDER hard: precision and recall at every score',
      x: { label: 'recall', ...share },
      y: { label: 'precision', ...share },
      series: detectors.map(({ name, runs }) => ({
        name,
        isLine: true,
        points: thin(precisionRecallCurve(runs.filter(isOfWider), isHard)).map(({ recall, precision }) => ({
          x: recall,
          y: precision,
        })),
      })),
    }),
    'face-sizes.svg': renderChart({
      title: 'Faces by size: average precision at an overlap of one half',
      x: {
        label: 'side of the face, pixels',
        from: -0.3,
        to: sideClasses.length - 0.7,
        ticks: sideClasses.map(({ label }, at) => ({ at, label: label.replace(' px', '') })),
      },
      y: { label: 'AP@0.5', ...share },
      series: detectors.map(({ name, figures }) => ({
        name,
        isLine: true,
        points: sideClasses.map(({ row }, x) => ({ x, y: (figures[row] ?? 0) / 100 })),
      })),
    }),
  };
}

function isOfWider({ set }: FaceRun): boolean {
  return set.startsWith('wider');
}

function thin<T>(points: readonly T[]): T[] {
  const step = Math.max(1, Math.ceil(points.length / maxPoints));
  return points.filter((_, i) => i % step === 0 || i === points.length - 1);
}
