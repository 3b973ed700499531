import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** HEIC and BMP as well: the service tells of each what it wants in their place. */
const pictureNames = /\.(jpe?g|png|webp|avif|gif|tiff?|hei[cf]|bmp)$/i;

/**
 * Names the pictures of files and folders (whole trees), each folder in the order of its names. Links
 * count as what they lead to. Of the tree only one folder at a time is in memory.
 * @param onLeftOut told of each file of a folder that is not named like a picture
 * @throws Error where a file or folder is not there
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

/** All files below, behind links too. A link to one of the folders that it lies in is not followed. */
async function* walk(folder: string, above: readonly string[] = []): AsyncGenerator<string> {
  const real = await realpath(folder);
  if (above.includes(real)) return;
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    const file = path.join(folder, entry.name);
    // A link that leads nowhere is for whoever reads it to tell of.
    const kind = entry.isSymbolicLink() ? await stat(file).catch(() => undefined) : entry;
    if (kind?.isDirectory()) yield* walk(file, [...above, real]);
    else if (kind?.isFile() !== false) yield file;
  }
}
