import { corruptImage } from '../../refuse-image.js';
import type { Cursor } from '../cursor.js';

// ISO/IEC 14496-12, 4.2: a file is made of boxes, which may contain others.

/** More than any box has in it. */
const maxBoxes = 1_000;

interface Box {
  readonly type: string;
  readonly body: Cursor;
}

/** @throws Refusal CORRUPT_IMAGE */
export function boxesOf(bytes: Cursor): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 8 <= bytes.length;) {
    const short = bytes.uint(at, 4);
    const header = short === 1 ? 16 : 8;
    const long = short === 1 ? bytes.uint(at + 8, 8) : short;
    const end = short === 0 ? bytes.length : at + long;
    if (end < at + header) throw corruptImage('a box smaller than its header');
    const type = bytes.text(at + 4, 4);
    if (boxes.push({ type, body: bytes.part(at + header, end) }) > maxBoxes) throw corruptImage('too many boxes');
    at = end;
  }
  return boxes;
}

/** What is in the one box of a type. @throws Refusal CORRUPT_IMAGE */
export function only(boxes: readonly Box[], type: string): Cursor {
  const [first, ...others] = boxes.filter((box) => box.type === type);
  if (!first || others.length > 0) throw corruptImage(`${others.length > 0 ? 'several' : 'no'} ${type}`);
  return first.body;
}
