import type { Box } from '../annotate/annotate.js';

/** One face of the answer to `POST /face_detect_multi` with `landmarks`, without `crop`. */
export interface FaceAnswer {
  readonly bbox: Box;
  readonly detection_score: string;
  readonly landmarks: Readonly<Record<string, { readonly x: number; readonly y: number }>>;
}

/** The answer to `POST /meter-number-ocr/file`. */
export interface MeterAnswer {
  readonly meter_number: string;
  readonly value: string;
  readonly unit: string;
  readonly confidence: number;
  readonly status: string;
  readonly bbox: Box;
  readonly digits: readonly {
    readonly digit: string;
    readonly confidence: number;
    readonly bbox: Box;
  }[];
}

/** What every refusal has; docs/errors.md lists the reasons. */
export interface Refusal {
  readonly message: string;
  readonly reason: string;
}

/** The answers of both features for one picture, as they came. */
export interface Analysis {
  readonly faces: { readonly result: readonly FaceAnswer[] } | Refusal;
  readonly meter: MeterAnswer | Refusal;
}

export interface RestService {
  readonly restUrl: string;
  readonly apiKey: string;
}

/** Asks a running service for the faces and the meter of a picture. */
export async function analyse(service: RestService, picture: Uint8Array): Promise<Analysis> {
  const wanted = { crop: 'false', landmarks: 'true', details: 'true' };
  return {
    faces: (await post(service, '/face_detect_multi', picture, wanted)) as Analysis['faces'],
    meter: (await post(service, '/meter-number-ocr/file', picture)) as Analysis['meter'],
  };
}

async function post(
  { restUrl, apiKey }: RestService,
  path: string,
  picture: Uint8Array,
  fields: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append('file', new Blob([new Uint8Array(picture)]), 'picture');
  const init = { method: 'POST', headers: { apikey: apiKey }, body };
  const response = await fetch(restUrl + path, init).catch((error: unknown) => {
    throw new Error(`${restUrl} cannot be reached`, { cause: error });
  });
  return await response.json();
}
