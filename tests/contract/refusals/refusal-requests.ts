import assert from 'node:assert/strict';
import sharp from 'sharp';
import { createForm } from '../../helpers/net/form.js';
import { type Answer, post } from '../../helpers/service/rest-requests.js';
import type { TestService } from '../../helpers/service/service.js';

// Requests that are refused, and what comes of them.

export type Refusal = Answer<{ message: string; code: string; reason: string; request_id: string; details: object }>;

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
