import type { Reason } from '../../../../runtime/errors/reasons.js';
import { asRefusal, Refusal, refuseField } from '../../../../runtime/errors/refusal.js';
import type { Call } from '../../../common/call.js';

/** Reasons that are about one photo: the others may still be read. */
const ofOnePhoto: ReadonlySet<string> = new Set<Reason>([
  'NO_READING',
  'EMPTY_IMAGE',
  'CORRUPT_IMAGE',
  'UNSUPPORTED_IMAGE_TYPE',
  'IMAGE_TOO_MANY_PIXELS',
]);

/** The reason why a photo could not be read. */
interface RefusedPhoto {
  readonly refusal: string;
}

/**
 * Reads the photos of one call, each as a job and as a request of its key. If the queue is full, the first that is a
 * picture is refused, and the call with it; the others wait for room, as in a stream. So the queue limits how many calls
 * there are. What stops one photo for no fault of its own stops all.
 *
 * @param prepare what can be told of a photo without a worker
 * @param read reads one of them; `signal` of its call ends with those of the others
 * @throws Refusal if no photo can be read: NO_READING, or what the first was refused for; and what stops all
 */
export async function readPhotos<Picture, Read extends object>(
  images: readonly Uint8Array[],
  call: Call,
  prepare: (bytes: Uint8Array) => Picture,
  read: (picture: Picture, call: Call) => Promise<Read>,
): Promise<(Read | RefusedPhoto)[]> {
  const stopped = new AbortController();
  const signal = AbortSignal.any([call.signal, stopped.signal]);
  let hasFirst = false;
  const readOne = async (bytes: Uint8Array, at: number): Promise<Read | Refusal> => {
    try {
      const picture = prepare(bytes);
      const wait = hasFirst ? 'queue' : 'refuse';
      hasFirst = true;
      // The call itself was counted already.
      if (at > 0) await call.admitRequest?.();
      return await read(picture, { ...call, signal, wait });
    } catch (caught) {
      const refusal = asRefusal(caught);
      if (!ofOnePhoto.has(refusal.reason)) {
        stopped.abort(refusal);
        throw refusal;
      }
      return refusal;
    }
  };
  const outcomes = await Promise.all(images.map(readOne));
  const refusals = outcomes.filter((outcome) => outcome instanceof Refusal);
  if (refusals.length === images.length) throw noneOf(refusals);
  return outcomes.map((outcome) => (outcome instanceof Refusal ? { refusal: outcome.reason } : outcome));
}

function noneOf(refusals: readonly Refusal[]): Refusal {
  const [first] = refusals;
  if (first === undefined || refusals.some(({ reason }) => reason === 'NO_READING'))
    return refuseField('NO_READING', 'images', 'showed no counter that can be read, try sharp photos of its wheels');
  const { code, reason, message, details, cause } = first;
  return new Refusal(code, reason, message.replace(/^image /, 'images '), {
    details: { ...details, field: 'images' },
    cause,
  });
}
