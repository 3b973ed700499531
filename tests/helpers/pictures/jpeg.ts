/** A scan of one coefficient, without data. */
export const emptyScan = Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0, 1, 1, 0]);

export const times = (count: number, part: Buffer): Buffer => Buffer.concat(Array<Buffer>(count).fill(part));

/** A JPEG with more before its end marker. */
export const insertAtEnd = (jpeg: Buffer, more: Buffer): Buffer =>
  Buffer.concat([jpeg.subarray(0, -2), more, jpeg.subarray(-2)]);
