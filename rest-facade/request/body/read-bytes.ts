import type { IncomingMessage } from 'node:http';
import { contentLength } from '../body-framing.js';
import { createByteCollector } from './byte-collector.js';
import { pump, type ReadOptions } from './pump.js';

/** Reads a body as it is. @throws Refusal by {@link pump} */
export async function readBytes(request: IncomingMessage, options: ReadOptions): Promise<Buffer> {
  const collector = createByteCollector(options.maxBodyBytes, contentLength(request));
  await pump(request, options, (done) => ({ write: (chunk) => collector.push(chunk), end: done }));
  return collector.bytes();
}
