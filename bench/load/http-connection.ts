import { connect } from 'node:net';

/** What came back; of the headers only what a load generator goes by. */
export interface HttpAnswer {
  readonly status: number;
  readonly hasRetryAfter: boolean;
  readonly body: Buffer;
}

/** A connection that takes one request at a time. */
export interface HttpConnection {
  /**
   * Sends a request as it is, headers and body. Rejects where the connection ends before the answer
   * does, and where the answer does not tell its length.
   */
  send(request: Buffer): Promise<HttpAnswer>;
  /** Whether it takes another request. */
  readonly isOpen: boolean;
  close(): void;
}

interface Exchange {
  resolve(answer: HttpAnswer): void;
  reject(error: Error): void;
}

/**
 * Opens a connection of HTTP/1.1 without TLS. A load generator shares the cores with the service that it
 * measures, and this takes a third of the processor time of node:http and half of undici's.
 */
export function openHttpConnection({ hostname, port }: URL): HttpConnection {
  const socket = connect({ host: hostname, port: Number(port || 80), noDelay: true });
  let exchange: Exchange | undefined;
  let received = Buffer.alloc(0);
  let isOpen = true;

  const fail = (why: string): void => {
    isOpen = false;
    socket.destroy();
    exchange?.reject(new Error(why));
  };
  socket.on('error', ({ message }) => fail(message));
  socket.on('close', () => fail('the connection was closed'));
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const parsed = parse(received);
    if (parsed === 'incomplete') return;
    if (parsed === 'no length') return fail('the answer has no Content-Length');
    received = Buffer.alloc(0);
    isOpen &&= !parsed.isLast;
    exchange?.resolve(parsed);
  });
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        exchange = { resolve, reject };
        socket.write(request);
      }),
    get isOpen() {
      return isOpen;
    },
    close: () => socket.destroy(),
  };
}

const endOfHead = '\r\n\r\n';

function parse(bytes: Buffer): (HttpAnswer & { isLast: boolean }) | 'incomplete' | 'no length' {
  const headLength = bytes.indexOf(endOfHead);
  if (headLength < 0) return 'incomplete';
  const head = bytes.toString('latin1', 0, headLength);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) return 'no length';
  const start = headLength + endOfHead.length;
  const end = start + Number(length);
  if (bytes.length < end) return 'incomplete';
  return {
    status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)),
    hasRetryAfter: /\r\nretry-after:/i.test(head),
    isLast: /\r\nconnection: *close/i.test(head),
    body: bytes.subarray(start, end),
  };
}
