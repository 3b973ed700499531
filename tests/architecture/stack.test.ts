import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Knex } from 'knex';
import { openDatabase, placeSqlite } from '../helpers/databases/databases.js';

// The packages that this service was asked to be built from, under their own names.

const root = new URL('../../../', import.meta.url);
const readText = (file: string) => readFileSync(new URL(file, root), 'utf8');

const { dependencies, devDependencies } = JSON.parse(readText('package.json')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>;

/** Where the product uses each at run time. */
const uses: Record<string, string> = {
  '@grpc/grpc-js': 'core-server/rpc/grpc-server.ts',
  '@grpc/proto-loader': 'rest-facade/protos/rpcs.ts',
  express: 'rest-facade/server/app.ts',
  busboy: 'rest-facade/request/body/read-multipart.ts',
  'onnxruntime-node': 'core-server/inference/models/sessions.ts',
  '@gutenye/ocr-node': 'core-server/features/meter/printed/printed-worker.ts',
  sharp: 'core-server/image/decode/decode.ts',
  knex: 'core-server/store/sqlite/open-sqlite.ts',
};

for (const [name, file] of Object.entries(uses))
  test(`${name} is a dependency, and loaded by ${file}`, () => {
    assert.ok(dependencies[name], 'package.json does not name it');
    assert.match(readText(file), new RegExp(`(?<!import type [^;]*) from '${name}'|\\bimport\\('${name}'\\)`));
  });

test("sqlite3 is a dependency, and what knex's own SQLite client runs on", async (t) => {
  assert.ok(dependencies['sqlite3']);
  const db = await openDatabase(t, await placeSqlite(t));
  const client = db.client as Knex.Client;
  const sqlite3 = (await import('sqlite3')) as unknown as { readonly default: unknown };
  assert.equal(client.config.client, 'sqlite3');
  assert.equal(client.driver, sqlite3.default);
});

test('ts-proto has generated the messages', () => {
  const version = devDependencies['ts-proto'] ?? '';
  assert.match(readText('buf.gen.yaml'), /local: protoc-gen-ts_proto$/m);
  const plugin = fileURLToPath(new URL('node_modules/.bin/protoc-gen-ts_proto', root));
  assert.equal(spawnSync(plugin, { input: '' }).status, 0);
  const generated = readText('generated/imageanalysis/v1/face_detection.ts');
  assert.match(generated, new RegExp(`protoc-gen-ts_proto +v${version.replaceAll('.', '\\.')}$`, 'm'));
});
