import { crc32 } from 'node:zlib';
import { be } from './avif.js';

export function pngChunk(type: string, data: string | Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), typeof data === 'string' ? Buffer.from(data, 'latin1') : data]);
  return Buffer.concat([be(4, body.length - 4), body, be(4, crc32(body))]);
}

/** A PNG with chunks behind its header. */
export const insertInPng = (png: Buffer, ...chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);
