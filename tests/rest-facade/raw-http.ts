import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly text: string;
}

/** Opens a connection for tests that must choose every byte. */
export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends bytes and reads until the other side ends the connection. */
export async function exchange(port: number, bytes: string | Uint8Array): Promise<RawAnswer> {
  const socket = await openSocket(port);
  socket.write(bytes);
  return readToEnd(socket);
}

/** Reads one answer; the connection must be ended by the other side. */
export function readToEnd(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(chunks).toString())));
  });
}

export function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    status: Number(first.split(' ')[1]),
    headers: Object.fromEntries(headers),
    body: rest.join('\r\n\r\n'),
    text,
  };
}

/** A POST of a multipart body; `\n` in the parts becomes CRLF. */
export function multipartRequest(path: string, body: string, contentType = 'multipart/form-data; boundary=b'): string {
  const crlf = body.replaceAll('\n', '\r\n');
  return [
    `POST ${path} HTTP/1.1`,
    'host: test',
    'apikey: key',
    'connection: close',
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(crlf)}`,
    '',
    crlf,
  ].join('\r\n');
}
