import { setImmediate } from 'node:timers/promises';
import { Refusal } from '../../runtime/refusal.js';
import { type OpenRequest, raceSignal } from './open-call.js';

/**
 * The outcome of the work, held back until all checks of its caller have passed. If one refuses, the work ends
 * with that refusal.
 */
export async function confirmed<T>(
  work: Promise<T>,
  { keyChecks, abort, signal }: Pick<OpenRequest, 'keyChecks' | 'abort' | 'signal'>,
): Promise<T> {
  const { confirm } = keyChecks;
  if (confirm === undefined) return work;
  // By then, the worker has the picture.
  const checked = setImmediate().then(confirm);
  checked.catch((refusal: unknown) => abort(Refusal.from(refusal)));
  try {
    return await work;
  } finally {
    await raceSignal(checked, signal);
  }
}
