import { randomUUID } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { isRequestId } from '../../runtime/request-id.js';

/** The caller's id of its request where it may stand in a log line, else a new one. */
export function readRequestId(metadata: Metadata): string {
  const [sent] = metadata.get('x-request-id');
  return isRequestId(sent) ? sent : randomUUID();
}
