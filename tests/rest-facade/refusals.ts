import assert from 'node:assert/strict';
import { Refusal } from '../../runtime/errors/refusal.js';

/** The reason that a function refuses with; undefined when it does not refuse. */
export function reasonOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.reason;
  }
  return undefined;
}
