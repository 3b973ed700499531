import { Cursor } from './cursor.js';

export const maxProfileBytes = 64 * 1024;
// LittleCMS accepts no larger profile.
const maxTags = 100;
const classes = ['mntr', 'scnr', 'prtr', 'spac'];
const spaces = ['RGB ', 'GRAY'];
/** AToB0 to BToD3, ICC.1:2022, 9.2: a few bytes of these can describe any number of steps. */
const tableTag = /^[ABD]2[ABD]/;

/**
 * Whether a colour profile consists only of curves and a matrix, like those of cameras, phones and screens: its
 * size limits the cost of converting. The cost of others is up to their author. A header of 128 bytes, then the
 * tags, each a name, an offset and a length: ICC.1:2022, 7.
 */
export function isPlainProfile(profile: Buffer): boolean {
  if (profile.length < 132 || profile.length > maxProfileBytes) return false;
  const file = new Cursor(profile);
  const tags = file.uint(128, 4);
  if (tags > maxTags || 132 + 12 * tags > profile.length) return false;
  const text = (at: number): string => file.text(at, 4);
  return (
    classes.includes(text(12)) &&
    spaces.includes(text(16)) &&
    Array.from({ length: tags }, (_, i) => text(132 + 12 * i)).every((tag) => !tableTag.test(tag))
  );
}
