import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

// Runs behind the compiler: joins each program with all modules that it imports into one file, in the place of its own.
// Reading a thousand files took a fifth of a start (bench/TRIED.md). Tests import the same modules one by one.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const programs = [
  'launcher/main',
  'core-server/main',
  'core-server/worker-main',
  'core-server/admin-cli',
  'rest-facade/main',
];

/**
 * For a file of a package, of which stack traces name functions and files but no lines: Node.js reads the whole map for the
 * first stack trace, with the lines of all packages for half a second, and keeps 60 MB of it.
 */
function withoutLines(file: string): string {
  const map = { version: 3, sources: [path.basename(file)], mappings: 'AAAA' };
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
}

/** In a program of that folder, what modules load on demand stays an import, and what they look for lies where it did. */
const keepPlaces = (folder: string): Plugin => ({
  name: 'keep-places',
  setup(program) {
    const placeOf = (file: string): string => {
      const isOurs = !file.includes('/node_modules/');
      return path.relative(folder, isOurs ? path.join(root, 'dist', path.relative(root, file)) : file);
    };
    program.onResolve({ filter: /./ }, ({ kind, path: name, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      return { path: name.startsWith('.') ? placeOf(path.join(resolveDir, name)) : name, external: true };
    });
    program.onLoad({ filter: /\.[jt]s$/ }, async ({ path: file }) => {
      const place = placeOf(file);
      const contents = (await readFile(file, 'utf8'))
        .replaceAll(/\bimport\.meta\.url\b/g, `new URL(${JSON.stringify(place)}, import.meta.url).href`)
        .replaceAll(
          /\b__dirname\b/g,
          `require('node:path').resolve(bundleFolder, ${JSON.stringify(path.dirname(place))})`,
        );
      return file.endsWith('.ts')
        ? { contents, loader: 'ts' }
        : { contents: contents + withoutLines(file), loader: 'js' };
    });
  },
});

for (const program of programs) {
  const outfile = path.join(root, 'dist', `${program}.js`);
  await build({
    entryPoints: [path.join(root, `${program}.ts`)],
    outfile,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    sourcemap: true,
    sourcesContent: false,
    external: [
      // Their binaries lie beside them; other packages with one are loaded on demand.
      ...['sqlite3', 'sharp', 'onnxruntime-node', '@napi-rs/image'],
      // For databases that knex knows, and not installed.
      ...['better-sqlite3', 'mariadb', 'mysql', 'mysql2', 'oracledb', 'tedious'],
    ],
    plugins: [keepPlaces(path.dirname(outfile))],
    // What CommonJS modules take for granted.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url), bundleFolder = import.meta.dirname;",
    },
    logLevel: 'warning',
  });
}
