import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sharedDir } from '../../helpers/pictures/samples.js';

/** What a photo shows. */
export interface MeterTruth {
  /** All wheels, red ones included. */
  readonly digits: string;
  /** How many wheels at the end are fractions. */
  readonly redDigits: number;
  /** Other digits that are as right, where a wheel stands between two. */
  readonly accept: readonly string[];
}

export interface MeterPhoto {
  readonly path: string;
  readonly source: string;
  /** Null where there is no meter. */
  readonly truth: MeterTruth | null;
  /** Corners of the counter, if they are labelled. */
  readonly counter?: readonly (readonly [number, number])[] | null;
}

/** The photos to measure on, the displays among them; undefined where they are not. */
export function readMeterEvaluation(): MeterPhoto[] | undefined {
  const photos = labelled('meter/eval', 'ground_truth.json');
  if (photos === undefined) return undefined;
  const displays = labelled('meter/lcd', 'labels_lcd.json') ?? [];
  return [...photos, ...displays.map((photo) => ({ ...photo, source: 'displays' }))];
}

/** Files of one meter at one reading, in `meter/train`, `meter/train_extra` and `meter/eval`, found by looking at them. */
const series = [
  ['toloka_270', 'toloka_649'],
  ['toloka_449', 'toloka_822'],
  ['toloka_73', 'toloka_594'],
  ['toloka_307', 'toloka_1051'],
  ['elec_hcastro_001', 'elec_hcastro_002', 'elec_hcastro_003'],
  ['elec_hcastro_007', 'elec_hcastro_008'],
  ['elec_jorvkve_005', 'elec_jorvkve_019'],
  ['elec_jorvkve_010', 'elec_jorvkve_017'],
  ['kasparurban_006', 'kasparurban_007', 'kasparurban_008'],
];

/** The photos of one meter that there are, most of which the networks were trained on; undefined where they are not. */
export function readMeterSeries(): MeterPhoto[][] | undefined {
  const photos = (['train', 'train_extra', 'eval'] as const).map((part) =>
    labelled(`meter/${part}`, part === 'eval' ? 'ground_truth.json' : 'labels.json'),
  );
  if (photos.includes(undefined)) return undefined;
  const byName = new Map(photos.flatMap((part) => part ?? []).map((photo) => [basename(photo.path, '.webp'), photo]));
  return series.map((names) => names.flatMap((name) => byName.get(name) ?? []));
}

/** Pictures without a meter that no network was trained on (`pictures_without_meter` in models/meter/data.py). */
export function readPicturesWithoutMeter(): MeterPhoto[] | undefined {
  const folder = join(sharedDir, 'face/train/noface');
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder)
    .filter((file) => file.endsWith('.webp') && hashOf(file) % 2 === 0)
    .sort()
    .map((file) => ({ path: join(folder, file), source: 'no meter', truth: null }));
}

function labelled(folder: string, file: string): MeterPhoto[] | undefined {
  const path = join(sharedDir, folder, file);
  if (!existsSync(path)) return undefined;
  const rows = JSON.parse(readFileSync(path, 'utf8')) as {
    file: string;
    source: string;
    digits: string;
    red_digits: number;
    accept: string[];
    counter: [number, number][] | null;
  }[];
  return rows.map(({ file: name, source, digits, red_digits: redDigits, accept, counter }) => ({
    path: join(sharedDir, folder, name),
    source,
    counter,
    truth: { digits, redDigits, accept },
  }));
}

/** As in models/meter/data.py: the two must keep the same pictures apart. */
export function hashOf(text: string): number {
  return Number.parseInt(createHash('md5').update(text).digest('hex').slice(0, 8), 16);
}
