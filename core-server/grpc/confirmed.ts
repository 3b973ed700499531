import { setImmediate } from 'node:timers/promises';
import { Refusal } from '../../runtime/refusal.js';
import { raceSignal, type OpenRequest } from './open-call.js';

/**
 * The outcome of the work, held back until nothing is left to be checked of its caller. Where that ends
 * in a refusal, the work ends with it.
 */
export async function confirmed<T>(
  work: Promise<T>,
  { keyChecks, abort, signal }: Pick<OpenRequest, 'keyChecks' | 'abort' | 'signal'>,
): Promise<T> {
  const { confirm } = keyChecks;
  if (confirm === undefined) return work;
  // The worker has the picture by then.
  const checked = setImmediate().then(confirm);
  checked.catch((refusal: unknown) => abort(Refusal.from(refusal)));
  try {
    return await work;
  } finally {
    await raceSignal(checked, signal);
  }
}
