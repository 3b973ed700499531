import assert from 'node:assert/strict';
import sharp from 'sharp';
import { createForm } from '../../helpers/net/form.js';
import type { TestService } from '../../helpers/service/service.js';

// Requests that are refused, and what comes of them.

export interface Refusal {
  status: number;
  headers: Headers;
  body: { message: string; code: string; reason: string; request_id: string; details: object };
}

export function checkRetryAfter(refusal: Refusal): Refusal {
  assert.match(refusal.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  return refusal;
}

export function blank(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#777' } })
    .png()
    .toBuffer();
}

export function detect(
  service: Pick<TestService, 'rest' | 'apiKey'>,
  fields: Record<string, string>,
  picture: Buffer | undefined,
): Promise<Refusal> {
  return post(service, '/face_detect_multi', createForm(picture, fields));
}

export async function post(
  { rest, apiKey }: Pick<TestService, 'rest' | 'apiKey'>,
  path: string,
  body: FormData | string,
  headers: Record<string, string> = {},
): Promise<Refusal> {
  return send({ rest, apiKey }, 'POST', path, body, headers);
}

export async function send(
  { rest, apiKey }: Pick<TestService, 'rest' | 'apiKey'>,
  method: string,
  path: string,
  body: FormData | string,
  headers: Record<string, string> = {},
): Promise<Refusal> {
  return toRefusal(await fetch(rest + path, { method, body, headers: { apikey: apiKey, ...headers } }));
}

export async function get(
  { rest, apiKey }: Pick<TestService, 'rest' | 'apiKey'>,
  path: string,
  key = apiKey,
): Promise<Refusal> {
  return toRefusal(await fetch(rest + path, { headers: key === '' ? {} : { apikey: key } }));
}

async function toRefusal(answer: Response): Promise<Refusal> {
  const body = (await answer.json()) as Refusal['body'];
  return { status: answer.status, headers: answer.headers, body };
}
