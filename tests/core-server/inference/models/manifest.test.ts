import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadManifest, modelFor, parseManifest } from '../../../../core-server/inference/models/manifest.js';
import { hashOf, readGraphs, readRules } from '../../../../core-server/inference/models/model-files.js';
import { registerModels } from '../../../../core-server/inference/models/register-models.js';
import { createTemporaryFolder } from '../../../helpers/temporary-folder.js';

const shipped = new URL('../../../../../models/manifest.json', import.meta.url);
const entry = (changes: object = {}): object => ({
  name: 'some-model',
  task: 'face',
  version: '1',
  graphs: [{ file: 'face/some.onnx', sha256: 'a'.repeat(64) }],
  licence: 'MIT',
  source: 'made here',
  input: 'pixels',
  calibration: 'guessed',
  ...changes,
});

/** A folder with one model file and a manifest that names it. */
async function folderWithModel(t: TestContext, bytes: string, sha256: string): Promise<URL> {
  const folder = await createTemporaryFolder(t);
  await mkdir(join(folder, 'face'));
  await writeFile(join(folder, 'face/some.onnx'), bytes);
  const manifest = { serve: { face: 'some-model' }, models: [entry({ graphs: [{ file: 'face/some.onnx', sha256 }] })] };
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return pathToFileURL(join(folder, 'manifest.json'));
}

test('the shipped manifest is right, and the served files are the ones it names', async () => {
  const manifest = await loadManifest(shipped);
  for (const task of Object.keys(manifest.serve)) {
    const model = modelFor(manifest, task);
    const graphs = await readGraphs(model, shipped);
    assert.equal(graphs.length, model.graphs.length);
  }
});

test('a wrong manifest is refused with every mistake in one message', () => {
  const wrong = { serve: { face: 'nobody' }, models: [entry(), entry({ name: 'some-model' })] };
  assert.throws(() => parseManifest(wrong), /two models "some-model"[^]*no model "nobody" for face/);
  assert.throws(
    () => parseManifest({ serve: { meter: 'some-model' }, models: [entry()] }),
    /no model "some-model" for meter/,
  );
  const mistakes = [entry({ version: '', graphs: [{ file: '/etc/passwd', sha256: 'x' }] })];
  assert.throws(
    () => parseManifest({ serve: {}, models: mistakes }),
    /expected string to have >=1 characters[^]*want a path like[^]*want 64 lower-case/,
  );
  assert.throws(() => parseManifest({ serve: {}, models: [entry({ unknown: 1 })] }), /Unrecognized key: "unknown"/);
});

test('a damaged manifest is named by its path, with what is wrong', async (t) => {
  const file = await folderWithModel(t, 'model', 'x');
  const start = `${fileURLToPath(file)}: `;
  const startsAndSays = (says: RegExp) => (error: Error) => error.message.startsWith(start) && says.test(error.message);
  await assert.rejects(loadManifest(file), startsAndSays(/want 64 lower-case/));
  await writeFile(file, '{"serve": {');
  await assert.rejects(loadManifest(file), startsAndSays(/JSON/));
});

test('rules are read only when they are those of the manifest', async (t) => {
  const text = '{"least":0.5}';
  const folder = await folderWithModel(t, 'model', hashOf(Buffer.from('model')));
  await mkdir(new URL('meter/', folder));
  await writeFile(new URL('meter/rules.json', folder), text);
  const modelWith = (changes: object) =>
    modelFor(parseManifest({ serve: { face: 'some-model' }, models: [entry(changes)] }), 'face');
  const rules = { file: 'meter/rules.json', sha256: hashOf(Buffer.from(text)) };
  assert.deepEqual(await readRules(modelWith({ rules }), folder), { least: 0.5 });
  const other = { ...rules, sha256: 'b'.repeat(64) };
  await assert.rejects(readRules(modelWith({ rules: other }), folder), /rules\.json has the sha256/);
  await assert.rejects(readRules(modelWith({}), folder), /names no rules/);
});

test('a path out of the folder is refused', () => {
  for (const file of ['../x.onnx', 'face/../../x.onnx', '/x.onnx', 'face/x.bin', 'x.onnx']) {
    const graphs = [{ file, sha256: 'a'.repeat(64) }];
    assert.throws(() => parseManifest({ serve: {}, models: [entry({ graphs })] }), /want a path/, file);
  }
});

test('each task has the model that the manifest names, if it names one', () => {
  const manifest = parseManifest({
    serve: { face: 'some-model' },
    models: [entry(), entry({ name: 'other' }), entry({ name: 'reader', task: 'meter' })],
  });
  assert.equal(modelFor(manifest, 'face').name, 'some-model');
  assert.throws(() => modelFor(manifest, 'meter'), /serves nothing for meter/);
});

test('a file that is not the one of the manifest is refused', async (t) => {
  const file = await folderWithModel(t, 'tampered', hashOf(Buffer.from('genuine')));
  const model = modelFor(await loadManifest(file), 'face');
  await assert.rejects(readGraphs(model, file), /face\/some\.onnx has the sha256 .* wants /);
});

test('a missing file is refused', async (t) => {
  const file = await folderWithModel(t, 'x', hashOf(Buffer.from('x')));
  const model = modelFor(await loadManifest(file), 'face');
  const missing = { file: 'face/gone.onnx', sha256: 'a'.repeat(64) };
  await assert.rejects(readGraphs({ ...model, graphs: [missing] }, file), /cannot read.*gone/);
});

test('registering writes the hash and a new version of what changed, and nothing else', async (t) => {
  const file = await folderWithModel(t, 'new weights', hashOf(Buffer.from('old weights')));
  await writeFile(new URL('face/rules.json', file), '{}');
  const graph = { file: 'face/some.onnx', sha256: 'a'.repeat(64) };
  const elsewhere = { graphs: [{ ...graph, file: 'face/gone.onnx', url: 'https://models.example/gone.onnx' }] };
  const models = [
    entry({ graphs: [graph] }),
    entry({ name: 'downloaded', ...elsewhere }),
    entry({ name: 'ruled', ...elsewhere, rules: { file: 'face/rules.json', sha256: 'a'.repeat(64) } }),
  ];
  await writeFile(file, JSON.stringify({ serve: { face: 'some-model' }, models }));
  assert.deepEqual(await registerModels(file, '2030-01-02'), ['some-model', 'ruled']);
  const manifest = await loadManifest(file);
  const model = modelFor(manifest, 'face');
  const hash = hashOf(Buffer.from('new weights'));
  assert.equal(model.graphs[0]?.sha256, hash);
  assert.equal(model.version, `2030-01-02-${hash.slice(0, 8)}`);
  const [, downloaded, ruled] = manifest.models;
  assert.deepEqual([downloaded?.graphs[0]?.sha256, downloaded?.version], ['a'.repeat(64), '1']);
  const ofRules = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';
  assert.deepEqual([ruled?.rules?.sha256, ruled?.version], [ofRules, '2030-01-02-44136fa3']);
  const written = await readFile(file);
  assert.deepEqual(await registerModels(file, '2031-01-02'), []);
  assert.deepEqual(await readFile(file), written);
});
