import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

// What may know what: read out of the imports of all sources.

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folders = [
  'core-server',
  'rest-facade',
  'runtime',
  'launcher',
  'tools',
  'generated',
  'samples',
  'tests',
  'bench',
  'sdk/typescript',
];
/** Runs in the browser, with a compiler configuration of its own. */
const isBrowserCode = (file: string) => file.startsWith('rest-facade/web/');
/** The peers of bench/ have packages of their own, and the client is made into one. */
const isInstalled = (file: string) => file.includes('/node_modules/') || file.startsWith('sdk/typescript/package/');

interface Source {
  /** Path from the root, with slashes. */
  readonly file: string;
  /** Sources that it imports, types too. */
  readonly files: readonly string[];
  /** Sources that it imports at run time. */
  readonly runtimeFiles: readonly string[];
  readonly packages: readonly string[];
  /** Modules of packages that it imports at run time, whole specifiers. */
  readonly runtimePackages: readonly string[];
  /** Members of `process` that it uses; `*` if it takes it whole or imports from it. */
  readonly processMembers: readonly string[];
}

const sources = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => path.posix.join(folder, file.replaceAll(path.sep, '/')))
    .filter((file) => /\.ts$/.test(file) && !isBrowserCode(file) && !isInstalled(file))
    .map(readSource),
);

function readSource(file: string): Source {
  const text = readFileSync(path.join(root, file), 'utf8');
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const all: string[] = [];
  const atRunTime: string[] = [];
  const processMembers: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const { moduleSpecifier } = node;
      if (moduleSpecifier && ts.isStringLiteral(moduleSpecifier)) {
        all.push(moduleSpecifier.text);
        if (/^(node:)?process$/.test(moduleSpecifier.text)) processMembers.push('*');
        if (!isTypeOnly(node)) atRunTime.push(moduleSpecifier.text);
      }
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [target] = node.arguments;
      assert.ok(target && ts.isStringLiteral(target), `${file}: import() of what is not a text`);
      all.push(target.text);
    } else if (ts.isIdentifier(node) && node.text === 'process') {
      const { parent } = node;
      if (!ts.isPropertyAccessExpression(parent)) processMembers.push('*');
      else if (parent.expression === node) processMembers.push(parent.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  const local = (specifiers: string[]) =>
    specifiers
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => path.posix.join(path.posix.dirname(file), specifier.replace(/js$/, 'ts')));
  const ofPackages = (specifiers: string[]) => specifiers.filter((specifier) => !/^(\.|node:)/.test(specifier));
  return {
    file,
    files: local(all),
    runtimeFiles: local(atRunTime),
    packages: ofPackages(all).map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier),
    runtimePackages: ofPackages(atRunTime),
    processMembers,
  };
}

/** `verbatimModuleSyntax`: only what says `type` vanishes; `import { type A }` stays as an import. */
function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

const product = sources.filter(({ file }) => /^(core-server|rest-facade|runtime)\//.test(file));
const top = (file: string) => file.split('/')[0];

test('the sources were found', () => {
  assert.ok(product.length > 100);
  assert.ok(product.some(({ files }) => files.length > 10));
});

test('each library has one home', () => {
  const homes: Record<string, RegExp> = {
    'onnxruntime-node': /^core-server\/inference\//,
    '@gutenye/ocr-node': /^core-server\/features\/meter\/printed\//,
    sharp: /^core-server\/image\//,
    knex: /^core-server\/(store\/|.*\/knex-[a-z-]+\.ts$)/,
    sqlite3: /^core-server\/store\//,
    busboy: /^rest-facade\/request\/body\//,
    express: /^rest-facade\/server\//,
    cors: /^rest-facade\/server\//,
    '@opentelemetry/core': /^runtime\/observe\/tracing\.ts$/,
    '@opentelemetry/sdk-trace-base': /^runtime\/observe\/tracing\.ts$/,
    '@opentelemetry/exporter-trace-otlp-http': /^runtime\/observe\/tracing\.ts$/,
    commander: /^core-server\/(features\/admin\/cli\/|admin-cli\.ts)/,
  };
  const strays = product.flatMap(({ file, packages }) =>
    packages.filter((name) => homes[name]?.test(file) === false).map((name) => `${file}: ${name}`),
  );
  assert.deepEqual(strays, []);
  const used = new Set(product.flatMap(({ packages }) => packages));
  for (const name of ['onnxruntime-node', 'sharp', 'knex', 'busboy', 'express']) {
    assert.ok(used.has(name), `${name} has a home and is not used`);
  }
});

test('core, facade and client meet in generated/, and in runtime/ that knows none of them', () => {
  const allowed: Record<string, readonly string[]> = {
    'core-server': ['core-server', 'runtime', 'generated'],
    'rest-facade': ['rest-facade', 'runtime', 'generated'],
    runtime: ['runtime', 'generated'],
    generated: ['generated'],
    sdk: ['sdk', 'runtime', 'generated'],
    // Their calls go through the client, as other people's do.
    tools: ['tools', 'sdk', 'runtime', 'launcher'],
    launcher: ['launcher', 'core-server', 'rest-facade', 'runtime'],
  };
  const strays = sources.flatMap(({ file, files }) =>
    files
      .filter((target) => allowed[top(file) ?? '']?.includes(top(target) ?? '') === false)
      .map((target) => `${file} imports ${target}`),
  );
  assert.deepEqual(strays, []);
});

/**
 * The rooms inside the top folders, from the top to the bottom: a file imports files of its own room and of the lines
 * below. Each room is a folder or a file, or '' for what lies in no folder; of two that fit, the longer one counts.
 */
const rooms: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'core-server': [
    [''], // what processes start with
    ['compose/'],
    [...readdirSync(path.join(root, 'core-server/features')).map((feature) => `features/${feature}/`), 'rpc/'],
    ['access/'],
    ['inference/'],
    ['image/', 'store/'],
    ['common/'],
  ],
  'rest-facade': [
    ['main.ts'],
    ['server/'],
    ['pages/', 'openapi/', 'web-rpc/'],
    ['response/', 'core-client/'],
    ['request/'],
    ['protos/'],
    [''], // settings, and which services there are
    ['grpc-js-patches/'],
  ],
};

test('imports go down from room to room', () => {
  const roomOf = (file: string) => {
    const folder = top(file) ?? '';
    const inside = file.slice(folder.length + 1);
    const holds = (room: string) => (room === '' ? !inside.includes('/') : inside === room || inside.startsWith(room));
    const [room] = (rooms[folder] ?? [])
      .flatMap((line, depth) => line.map((name) => ({ folder, name, depth })))
      .filter(({ name }) => holds(name))
      .sort((a, b) => b.name.length - a.name.length);
    return room;
  };
  const homeless = product.filter(({ file }) => rooms[top(file) ?? ''] && !roomOf(file));
  assert.deepEqual(
    homeless.map(({ file }) => file),
    [],
  );
  const used = new Set(product.map(({ file }) => roomOf(file)?.name));
  const empty = Object.values(rooms).flatMap((lines) => lines.flat().filter((n) => !used.has(n)));
  assert.deepEqual(empty, []);
  const strays = product.flatMap(({ file, files }) => {
    const own = roomOf(file);
    return files
      .filter((target) => {
        const other = roomOf(target);
        if (!own || !other || own.folder !== other.folder || own.name === other.name) return false;
        return other.depth <= own.depth;
      })
      .map((target) => `${file} imports ${target}`);
  });
  assert.deepEqual(strays, []);
});

test('no folder of the product is a heap', () => {
  const perFolder = new Map<string, number>();
  for (const room of ['core-server', 'rest-facade', 'runtime', 'launcher', 'tools']) {
    for (const entry of readdirSync(path.join(root, room), { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) perFolder.set(entry.parentPath, (perFolder.get(entry.parentPath) ?? 0) + 1);
    }
  }
  const heaps = [...perFolder].filter(([, count]) => count > 15).map(([folder]) => path.relative(root, folder));
  assert.deepEqual(heaps, []);
});

/** The sources that a process or thread loads which starts with this one, and which of the packages they load. */
function loadedFrom(start: string, unwanted: readonly string[]) {
  const loaded = new Map(sources.map((source) => [source.file, source]));
  const files = new Set([start]);
  for (const file of files) {
    for (const target of loaded.get(file)?.runtimeFiles ?? []) files.add(target);
  }
  const strays = [...files].flatMap((file) =>
    (loaded.get(file)?.runtimePackages ?? [])
      .filter((name) => unwanted.some((whole) => name === whole || name.startsWith(`${whole}/`)))
      // One table of numbers, a module of its own.
      .filter((name) => name !== '@grpc/grpc-js/build/src/constants.js')
      .map((name) => `${file} loads ${name}`),
  );
  return { files, strays };
}

test('workers load what they use: no gRPC, no database, nothing that checks settings', () => {
  const unwanted = ['@grpc/grpc-js', '@bufbuild/protobuf', 'zod', 'knex', 'pino'];
  const { files: inWorker, strays } = loadedFrom('core-server/worker-main.ts', unwanted);
  assert.ok(inWorker.size > 50);
  assert.deepEqual(strays, []);
});

test('what decodes pictures and runs networks is loaded by workers only', () => {
  const unwanted = ['sharp', '@napi-rs/image', 'onnxruntime-node', '@gutenye/ocr-node', 'libheif-js'];
  for (const start of ['core-server/main.ts', 'launcher/main.ts', 'launcher/health-main.ts']) {
    const { files, strays } = loadedFrom(start, unwanted);
    assert.ok(files.size > 10, start);
    assert.deepEqual(strays, []);
  }
});

test('main files alone know environment, signals and exit', () => {
  const isMain = (file: string) =>
    /\/([a-z]+-)*(main|cli)\.ts$/.test(file) ||
    // Set what onnxruntime and libvips read.
    file === 'core-server/inference/models/no-telemetry.ts' ||
    file === 'core-server/inference/pool/no-temporary-files.ts';
  const strays = product.flatMap(({ file, processMembers }) =>
    processMembers
      .filter((member) => !['versions', 'cpuUsage'].includes(member) && !isMain(file))
      .map((member) => `${file}: process.${member}`),
  );
  assert.deepEqual(strays, []);
});

test('no import goes in a circle, types too', () => {
  assert.deepEqual(circlesIn(new Map(sources.map(({ file, files }) => [file, files]))), []);
});

test('nor among the folders of the product', () => {
  // What lies in none joins them, and gives them a few types.
  const folderOf = (file: string) => /^(core-server|rest-facade|runtime)\/(features\/)?[^/]+(?=\/)/.exec(file)?.[0];
  const next = new Map<string, Set<string>>();
  for (const { file, files } of product) {
    const own = folderOf(file);
    if (own === undefined) continue;
    const others = files.flatMap((target) => folderOf(target) ?? []);
    const known = next.get(own) ?? new Set();
    next.set(own, known);
    for (const other of others) if (other !== own) known.add(other);
  }
  assert.ok(next.size > 20);
  assert.deepEqual(circlesIn(next), []);
});

function circlesIn(next: ReadonlyMap<string, Iterable<string>>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) {
      circles.push([...trail.slice(trail.indexOf(node)), node].join(' → '));
      return;
    }
    if (done.has(node)) return;
    for (const target of next.get(node) ?? []) visit(target, [...trail, node]);
    done.add(node);
  };
  for (const node of next.keys()) visit(node, []);
  return circles;
}
