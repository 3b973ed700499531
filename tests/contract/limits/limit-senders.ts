import sharp from 'sharp';
import type { TestService } from '../../helpers/service/service.js';
import { exchange } from '../../rest-facade/raw-http.js';

// Requests of an exact size, and what came of them.

export interface Answer {
  readonly status: number;
  /** `OK`, or the reason of the refusal. */
  readonly outcome: string;
  readonly details: Readonly<Record<string, string>>;
}

const small = { width: 40, height: 30 };

/** A grey picture: no face and no counter is in it. */
export function greyPicture(size: { width: number; height: number } = small): Promise<Buffer> {
  return sharp({ create: { ...size, channels: 3, background: '#777' } })
    .png()
    .toBuffer();
}

/** A small picture of so many bytes: decoders stop at the end of a PNG. */
export async function pictureOfBytes(bytes: number): Promise<Buffer> {
  const picture = await greyPicture();
  return Buffer.concat([picture, Buffer.alloc(bytes - picture.length)]);
}

const boundary = 'limit-boundary';

/** A multipart body, byte by byte. */
export function multipart(
  files: readonly (readonly [name: string, bytes: Buffer])[],
  fields: readonly (readonly [name: string, value: string])[] = [],
): Buffer {
  const part = (disposition: string, value: Buffer | string) => [
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ];
  return Buffer.concat([
    ...fields.flatMap(([name, value]) => part(`name="${name}"`, value)),
    ...files.flatMap(([name, bytes]) => part(`name="${name}"; filename="a.png"`, bytes)),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
}

/** Sends over HTTP with the service's key. @param isChunked leaves the length of the body unsaid */
export async function sendRest(
  { rest, apiKey }: TestService,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  options: { body?: Buffer; headers?: Record<string, string>; isChunked?: boolean } = {},
): Promise<Answer> {
  const { body, headers = {}, isChunked = false } = options;
  const answer = await fetch(rest + path, {
    method,
    headers: { apikey: apiKey, ...headers },
    ...(body && { body: isChunked ? new Blob([new Uint8Array(body)]).stream() : new Uint8Array(body) }),
    ...(isChunked && { duplex: 'half' }),
  });
  return toAnswer(answer.status, await answer.text());
}

/** Sends a form; `path` is a detection unless told otherwise. */
export function sendForm(
  service: TestService,
  body: Buffer,
  { path = '/face_detect_multi', isChunked = false } = {},
): Promise<Answer> {
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return sendRest(service, 'POST', path, { body, headers, isChunked });
}

/** A GET whose target, header names and header values have so many bytes together. */
export async function sendHead({ rest, apiKey }: TestService, bytes: number): Promise<Answer> {
  const lines = [
    ['host', 'test'],
    ['connection', 'close'],
    ['apikey', apiKey],
  ] as const;
  const start = '/livez?';
  const taken = start.length + lines.flat().join('').length;
  const target = start.padEnd(start.length + bytes - taken, 'x');
  const head = [`GET ${target} HTTP/1.1`, ...lines.map((line) => line.join(': ')), '', ''];
  const answer = await exchange(Number(new URL(rest).port), head.join('\r\n'));
  return toAnswer(answer.status, answer.body);
}

/** A GET with so many headers. */
export async function sendHeaders({ rest }: TestService, count: number): Promise<Answer> {
  const others = Array.from({ length: count - 2 }, (_, n) => `x-${n}: a`);
  const head = ['GET /livez HTTP/1.1', 'host: test', 'connection: close', ...others, '', ''];
  const answer = await exchange(Number(new URL(rest).port), head.join('\r\n'));
  return toAnswer(answer.status, answer.body);
}

function toAnswer(status: number, text: string): Answer {
  const { reason = 'OK', details = {} } = JSON.parse(text) as Partial<Answer> & { reason?: string };
  return { status, outcome: reason, details };
}
