import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** HEIC and BMP as well: the service tells of each what it wants in their place. */
const pictureNames = /\.(jpe?g|png|webp|avif|gif|tiff?|hei[cf]|bmp)$/i;
const magic = /[*?{[]/;

/**
 * Names the pictures of files, folders (whole trees) and patterns such as `photos/**\/*.jpg`, each
 * folder in the order of its names. Links count as what they lead to. Of the tree only one folder at a
 * time is in memory.
 * @param onLeftOut told of each file of a folder that is not named like a picture
 * @throws Error where a file or folder is not there
 */
export async function* findPictures(
  wanted: readonly string[],
  onLeftOut: (file: string) => void = () => {},
): AsyncGenerator<string> {
  for (const one of wanted) {
    const isPattern = magic.test(one) && !(await exists(one));
    if (isPattern) {
      const parts = one.split('/');
      const base = parts
        .slice(
          0,
          parts.findIndex((part) => magic.test(part)),
        )
        .join('/');
      const pattern = toRegExp(path.posix.normalize(one));
      for await (const file of walk(base || (one.startsWith('/') ? '/' : '.')))
        if (pattern.test(file)) yield file;
    } else if ((await stat(one)).isDirectory()) {
      for await (const file of walk(one))
        if (pictureNames.test(file)) yield file;
        else onLeftOut(file);
    } else yield path.normalize(one);
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

/** `**` any folders, `*` and `?` within a name, `[ab]`, `{a,b}`; a comma outside of braces is one. */
function toRegExp(pattern: string): RegExp {
  let depth = 0;
  const source = pattern.replaceAll(/\*\*\/?|[*?{},]|[.+^$()|\\]/g, (token) => {
    switch (token) {
      case '**/':
        return '(?:.*/)?';
      case '**':
        return '.*';
      case '*':
        return '[^/]*';
      case '?':
        return '[^/]';
      case '{':
        depth += 1;
        return '(?:';
      case '}':
        depth -= 1;
        return ')';
      case ',':
        return depth > 0 ? '|' : ',';
      default:
        return `\\${token}`;
    }
  });
  return new RegExp(`^${source}$`);
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
