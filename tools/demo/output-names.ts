import path from 'node:path';

/** A name for each file's output: its own name without folder and extension, numbered if two would be the same. */
export function outputNames(files: readonly string[]): string[] {
  const used = new Set<string>();
  return files.map((file) => {
    const name = path.parse(file).name;
    let unique = name;
    for (let number = 2; used.has(unique); number++) unique = `${name}-${number}`;
    used.add(unique);
    return unique;
  });
}
