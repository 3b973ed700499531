import {
  type AllFacesAnswer,
  type MeterAnswer,
  RefusedError,
  type RestClient,
} from '../../sdk/typescript/rest.js';

/** A refusal as returned by the REST API; docs/errors.md lists the reasons. */
export interface RefusedAnswer extends Pick<
  RefusedError,
  'message' | 'code' | 'reason' | 'details'
> {
  readonly request_id?: string | undefined;
}

/** The responses of both features for one picture, unchanged. */
export interface Analysis {
  readonly faces: AllFacesAnswer | RefusedAnswer;
  readonly meter: MeterAnswer | RefusedAnswer;
}

/** Asks a running service for the faces and the meter of a picture. */
export async function analyse(
  client: RestClient,
  picture: Uint8Array,
  signal: AbortSignal,
): Promise<Analysis> {
  const wanted = { crop: false, landmarks: true, details: true, signal };
  return {
    faces: await client.detectAllFaces(picture, wanted).catch(toRefusedAnswer),
    meter: await client.readMeter(picture, { signal }).catch(toRefusedAnswer),
  };
}

/** Anything but a refusal by the service, such as a connection failure, is rethrown. */
function toRefusedAnswer(error: unknown): RefusedAnswer {
  if (!(error instanceof RefusedError) || error.reason === undefined) throw error;
  const { message, code, reason, requestId, details } = error;
  return { message, code, reason, request_id: requestId, details };
}
