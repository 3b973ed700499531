import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Point } from '../../../core-server/image/picture.js';
import { number, readOptions } from '../../helpers/command-line.js';
import { openFaceApiSsd } from './face-api-ssd.js';
import { faceCharts } from './face-charts.js';
import { readFaceEvaluation } from './face-data.js';
import {
  type FaceFigures,
  type FaceRun,
  figuresOf,
  landmarkError,
  leanRow,
  leans,
  rollErrors,
  runOver,
  runWithPoints,
  turnedFigures,
  turnedRow,
} from './face-figures.js';
import type { MeasuredDetector } from './measured-detector.js';
import { openServedDetector } from './served-detector.js';

// Prints the accuracy of the face detectors in one run: the teacher and the embedded model through
// the code that serves, and a peer. One thread; times are processor time of the networks alone.
// node dist/tests/accuracy/face/eval-face.js [--model NAME]... [--every N] [--charts FOLDER]
//   --every N         every N-th picture: a quick look
//   --charts FOLDER   write the charts of the model card there

const teacherName = 'yunet-n';
const servedName = 'face-detector';
const peerName = 'face-api-ssd';
const landmarkRow = 'landmarks against the teacher';

const values = readOptions({
  every: number(1, 1),
  charts: { type: 'string' },
  model: { type: 'string', multiple: true, default: [teacherName, peerName, servedName] },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const pictures = readFaceEvaluation()?.filter((_, i) => i % Number(values.every) === 0);
if (pictures === undefined) {
  say('skipped: no evaluation pictures, set SHARED_DIR to the folder that has face/eval');
} else {
  const columns = new Map<string, FaceFigures>();
  const runsOf = new Map<string, FaceRun[]>();
  const pointsOf = new Map<string, FaceRun[]>();
  for (const name of values.model) {
    const detector = await open(name);
    if (detector === undefined) {
      say(`${name}: skipped, it is not here (make ${name === peerName ? 'bench-peers' : 'models'})`);
      continue;
    }
    say(`${detector.name}: ${pictures.length} pictures, default score ${detector.defaultScore}`);
    const runs = await runOver(detector, pictures);
    const turned = await turnedFigures(detector, pictures);
    const points = await runWithPoints(detector, pictures);
    const leaning = name === peerName ? {} : await rollErrors(detector, pictures, points);
    await detector.release();
    columns.set(name, { ...figuresOf(runs, detector.defaultScore), ...turned, ...leaning });
    runsOf.set(name, runs);
    pointsOf.set(name, points);
  }
  const [teacher, served] = [pointsOf.get(teacherName), pointsOf.get(servedName)];
  const ours = columns.get(servedName);
  if (ours && teacher && served) ours[landmarkRow] = landmarkError(served, teacher);
  printTable(columns);
  if (ours) printWishes(ours, columns.get(teacherName));
  if (values.charts !== undefined) {
    const charted = [...runsOf].map(([name, runs]) => ({ name, runs, figures: columns.get(name) ?? {} }));
    for (const [file, svg] of Object.entries(faceCharts(charted))) {
      await writeFile(path.join(values.charts, file), svg);
    }
  }
}

async function open(name: string): Promise<MeasuredDetector | undefined> {
  if (name === peerName) return openFaceApiSsd();
  const detector = await openServedDetector(name);
  return (
    detector && {
      name: `${name} ${detector.served.entry.version}`,
      defaultScore: detector.served.defaultScore,
      async detect(image, minScore, landmarks) {
        const { faces, inferenceMs } = await detector.detect(image, minScore, landmarks);
        const found = faces.map(({ boundingBox: box, detectionScore: score, landmarks }) => ({
          box,
          score,
          landmarks: landmarks && (Object.values(landmarks) as Point[]),
        }));
        return { faces: found, inferenceMs };
      },
      release: () => detector.release(),
    }
  );
}

function printTable(columns: ReadonlyMap<string, FaceFigures>): void {
  const rows = new Set([...columns.values()].flatMap((figures) => Object.keys(figures)));
  say(`\n${'percent'.padEnd(32)}${[...columns.keys()].map((n) => n.padStart(15)).join('')}`);
  for (const row of rows) {
    const cells = [...columns.values()].map((figures) => figures[row]?.toFixed(1) ?? '');
    say(`${row.padEnd(32)}${cells.map((cell) => cell.padStart(15)).join('')}`);
  }
}

/** What the embedded model must reach, beside the teacher too where that was measured, and by how much it misses. */
function printWishes(ours: FaceFigures, teacher: FaceFigures | undefined): void {
  const beside = (row: string): number => teacher?.[row] ?? NaN;
  const wishes: (readonly [row: string, at: 'least' | 'most', limit: number])[] = [
    ['AP@0.5 hard', 'least', 82.5],
    ['AP@0.5 hard', 'least', beside('AP@0.5 hard') + 1],
    ['AP@0.5 easy', 'least', 90.5],
    ['AP@0.5 easy', 'least', beside('AP@0.5 easy')],
    ['AP@0.5 side 8 to 16 px', 'least', beside('AP@0.5 side 8 to 16 px') + 3],
    ['recall, portraits of WIDER', 'least', 97],
    ['recall, other portraits', 'least', 100],
    ...([1, 2, 3] as const).map((turns) => [turnedRow(turns), 'least', 90] as const),
    ['pictures with a false face', 'most', 2],
    ['ms a picture', 'most', 30],
    ['ms a picture', 'most', 1.5 * beside('ms a picture')],
    [landmarkRow, 'most', 5],
    ...leans.map((lean) => [leanRow(lean), 'most', 5] as const),
  ];
  say('');
  for (const [row, at, limit] of wishes) {
    const value = ours[row];
    if (value === undefined || Number.isNaN(limit)) continue;
    const miss = at === 'least' ? limit - value : value - limit;
    const verdict = miss <= 0 ? 'met' : `missed by ${miss.toFixed(1)}`;
    say(`${row.padEnd(32)}${value.toFixed(1).padStart(8)}, at ${at} ${limit.toFixed(1)}: ${verdict}`);
  }
}
