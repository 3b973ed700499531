import type { Operation } from '../../generated/imageanalysis/v1/admin.js';

/** What a key may be allowed to do, as people read and write it: `face_detection`. */
export function operationName(operation: Operation): string {
  return operation.replace('OPERATION_', '').toLowerCase();
}
