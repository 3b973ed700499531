import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** Including HEIC and BMP: the service says for each what it wants instead. */
const pictureNames = /\.(jpe?g|png|webp|avif|gif|tiff?|hei[cf]|bmp)$/i;

/**
 * Lists the pictures among files and folders (recursively), each folder in the order of its names. Links
 * count as their targets. Only one folder per level is in memory at a time.
 * @param onLeftOut called for each file in a folder without an image extension
 * @throws Error if a file or folder does not exist
 */
export async function* findPictures(
  wanted: readonly string[],
  onLeftOut: (file: string) => void = () => {},
): AsyncGenerator<string> {
  for (const one of wanted) {
    if (!(await stat(one)).isDirectory()) yield path.normalize(one);
    else
      for await (const file of walk(one))
        if (pictureNames.test(file)) yield file;
        else onLeftOut(file);
  }
}

/** All files below, also behind links. A link to a folder that contains it is not followed. */
async function* walk(folder: string, above: readonly string[] = []): AsyncGenerator<string> {
  const real = await realpath(folder);
  if (above.includes(real)) return;
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    // A broken link is reported by whoever reads it.
    const kind = entry.isSymbolicLink() ? await stat(file).catch(() => undefined) : entry;
    if (kind?.isDirectory()) yield* walk(file, [...above, real]);
    else if (kind?.isFile() !== false) yield file;
  }
}
