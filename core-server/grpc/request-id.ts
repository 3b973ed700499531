import { randomUUID } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';

const harmless = /^[A-Za-z0-9_-]{1,128}$/;

/** The caller's id of its request where it may stand in a log line, else a new one. */
export function readRequestId(metadata: Metadata): string {
  const [sent] = metadata.get('x-request-id');
  return typeof sent === 'string' && harmless.test(sent) ? sent : randomUUID();
}
