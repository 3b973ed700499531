import { subscribe } from 'node:diagnostics_channel';
import type { Http2Stream } from 'node:http2';

/**
 * V8 allocates a function that is assigned to a property where it is written among old objects, and since Node.js 24
 * each writable stream has one. So streams outlive their closing until the next full collection: for HTTP/2, with the
 * call of grpc-js that listened, and the picture that it had sent. From now on, HTTP/2 streams that this process opens
 * lose their listeners when they have closed.
 */
export function freeClosedStreams(): void {
  subscribe('http2.client.stream.created', (message) => {
    const { stream } = message as { stream: Http2Stream };
    stream.once('close', () => stream.removeAllListeners());
  });
}
