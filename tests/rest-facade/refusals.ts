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

/** Fails where a function refuses with another reason, or where it refuses at all if that is undefined. */
export function assertReason(run: () => unknown, reason: string | undefined, what?: string): void {
  assert.equal(reasonOf(run), reason, what);
}
