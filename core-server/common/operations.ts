import { Operation } from '../../generated/imageanalysis/v1/admin.js';

/** All that this version knows. */
export const knownOperations: readonly Operation[] = Object.values(Operation).filter(
  (operation) => operation !== Operation.UNSPECIFIED && operation !== Operation.UNRECOGNIZED,
);

/** What a key may be allowed to do, as people read and write it: `face_detection`. */
export function operationName(operation: Operation): string {
  return operation.replace('OPERATION_', '').toLowerCase();
}
