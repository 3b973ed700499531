import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedDir } from '../../helpers/pictures/samples.js';
import type { TrueFace } from './detection-metrics.js';

export interface FacePicture {
  /** Path of the file. */
  readonly path: string;
  /** `wider427`, `wider_portrait`, `portrait70` or `noface`. */
  readonly set: string;
  /** What is hard about it: `blur`, `crowd`, `illumination`, `occlusion`, `profile`. */
  readonly tags: readonly string[];
  readonly faces: readonly TrueFace[];
}

interface StoredFace {
  readonly box: [number, number, number, number];
  readonly ignore: boolean;
  readonly easy?: boolean;
  readonly medium?: boolean;
  readonly hard?: boolean;
}

/** The evaluation pictures, or undefined where they are not. */
export function readFaceEvaluation(): FacePicture[] | undefined {
  const folder = join(sharedDir, 'face/eval');
  const file = join(folder, 'ground_truth.json');
  if (!existsSync(file)) return undefined;
  const rows = JSON.parse(readFileSync(file, 'utf8')) as {
    file: string;
    set: string;
    tags: string[];
    faces: StoredFace[];
  }[];
  return rows.map(({ file: name, set, tags, faces }) => ({
    path: join(folder, name),
    set,
    tags,
    faces: faces.map(toTrueFace),
  }));
}

function toTrueFace({ box, ignore, easy, medium, hard }: StoredFace): TrueFace {
  const [xmin, ymin, xmax, ymax] = box;
  const subsets = Object.entries({ easy, medium, hard }).filter(([, isIn]) => isIn);
  return { box: { xmin, ymin, xmax, ymax }, ignore, subsets: subsets.map(([name]) => name) };
}
