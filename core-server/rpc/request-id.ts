import { randomUUID } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { isRequestId } from '../../runtime/observe/request-id.js';

/** The caller's request id if it is safe in a log line, otherwise a new one. */
export function readRequestId(metadata: Metadata): string {
  const [sent] = metadata.get('x-request-id');
  return isRequestId(sent) ? sent : randomUUID();
}
