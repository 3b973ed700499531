import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import {
  averagePrecision,
  countFaces,
  picturesWithFaces,
  precisionAndRecall,
  recallAt,
  sideOf,
  type Measured,
  type TrueFace,
} from './detection-metrics.js';
import { readFaceEvaluation, type FacePicture } from './face-data.js';
import { openServedDetector, type ServedDetector } from './served-detector.js';

// Prints the accuracy of the face models as they are served, in one thread.
// node dist/tests/accuracy/eval-face.js [--model NAME]... [--first PX] [--second PX]

/** What AP looks at; lower scores are not asked for. */
const candidateScore = 0.02;
const sizes = [4, 8, 16, 32, 64, 128, Infinity];

interface Run {
  readonly picture: FacePicture;
  readonly measured: Measured;
  readonly timings: Readonly<Record<string, number>>;
}

const { values } = parseArgs({
  options: {
    model: { type: 'string', multiple: true, default: ['yunet-n', 'face-detector'] },
    first: { type: 'string' },
    second: { type: 'string' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const pictures = readFaceEvaluation();
if (pictures === undefined) {
  say('skipped: no evaluation pictures, set SHARED_DIR to the folder that has face/eval');
} else {
  const rule = {
    ...(values.first && { firstSide: Number(values.first) }),
    ...(values.second && { secondSide: Number(values.second) }),
  };
  for (const name of values.model) {
    const detector = await openServedDetector(name, rule);
    if (detector === undefined) {
      say(`${name}: skipped, its files are not here`);
      continue;
    }
    report(detector, await runOver(detector, pictures));
    await detector.release();
  }
}

async function runOver(detector: ServedDetector, all: FacePicture[]): Promise<Run[]> {
  const runs: Run[] = [];
  for (const picture of all) {
    const output = await detector.detect(await readFile(picture.path), candidateScore);
    const found = output.faces.map((f) => ({ box: f.boundingBox, score: f.detectionScore }));
    runs.push({ picture, measured: { faces: picture.faces, found }, timings: output.timings });
  }
  return runs;
}

function report(detector: ServedDetector, runs: Run[]): void {
  const { name, version, defaultScore } = detector.entry;
  const inSets = (...sets: string[]): Measured[] =>
    runs.filter((run) => sets.includes(run.picture.set)).map((run) => run.measured);
  const wider = inSets('wider427', 'wider_portrait');
  const faceless = inSets('noface');
  say(`\n${name} ${version}, ${runs.length} pictures, default score ${defaultScore}`);

  for (const subset of ['easy', 'medium', 'hard']) {
    say(
      row(
        `AP@0.5 ${subset}`,
        averagePrecision(wider, (face) => face.subsets.includes(subset)),
      ),
    );
  }
  for (const [i, from] of sizes.slice(0, -1).entries()) {
    const to = sizes[i + 1] ?? Infinity;
    const isOfSize = (face: TrueFace): boolean => sideOf(face) >= from && sideOf(face) < to;
    const count = countFaces(wider, isOfSize);
    const label = `AP@0.5 side ${from} to ${to === Infinity ? 'any' : to} px`;
    say(`${row(label, averagePrecision(wider, isOfSize))} (${count} faces)`);
  }
  const { precision, recall } = precisionAndRecall(wider, defaultScore);
  say(row('precision at the default score', precision));
  say(row('recall at the default score', recall));
  say(row('recall, portraits of WIDER', recallAt(inSets('wider_portrait'), defaultScore)));
  say(row('recall, other portraits', recallAt(inSets('portrait70'), defaultScore)));
  const wrong = picturesWithFaces(faceless, defaultScore);
  say(`${row('pictures with a false face', wrong / faceless.length)} (${wrong})`);

  const steps = new Set(runs.flatMap((run) => Object.keys(run.timings)));
  for (const step of steps) {
    const sum = runs.reduce((total, run) => total + (run.timings[step] ?? 0), 0);
    say(`${`ms a picture, ${step}`.padEnd(36)} ${(sum / runs.length).toFixed(1).padStart(6)}`);
  }
}

function row(label: string, share: number): string {
  return `${label.padEnd(36)} ${(share * 100).toFixed(1).padStart(6)}`;
}
