import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { downloadedGraphs, downloadGraph } from '../../../../core-server/inference/models/download-models.js';
import { loadManifest } from '../../../../core-server/inference/models/manifest.js';
import { hashOf } from '../../../../core-server/inference/models/model-files.js';
import { listen } from '../../../helpers/net/listen.js';
import { createTemporaryFolder } from '../../../helpers/temporary-folder.js';

const model = Buffer.alloc(300_000, 'weights ');
const sha256 = hashOf(model);
const file = 'face/some.onnx';

/** An empty folder of models, and a server that answers as told. */
async function setUp(t: TestContext, answer: RequestListener) {
  const root = await createTemporaryFolder(t);
  const server = createServer(answer);
  const url = `http://127.0.0.1:${await listen(t, server)}/some.onnx`;
  return {
    root,
    url,
    server,
    download: (signal = AbortSignal.timeout(30_000)) =>
      downloadGraph({ file, sha256, url }, pathToFileURL(join(root, 'manifest.json')), signal),
    /** What lies in the folder of the model. */
    files: () => readdir(join(root, 'face')).catch(() => []),
  };
}

test('a file is fetched by its address, and not fetched again', async (t) => {
  let requests = 0;
  const { root, download, files } = await setUp(t, (_, response) => {
    requests += 1;
    response.end(model);
  });
  assert.equal(await download(), true);
  assert.deepEqual(await readFile(join(root, file)), model);
  assert.deepEqual(await files(), ['some.onnx']);
  assert.equal(await download(), false);
  assert.equal(requests, 1);
});

test('other bytes than the pinned ones are refused and not kept', async (t) => {
  const { url, download, files } = await setUp(t, (_, response) => {
    response.end('something else');
  });
  await assert.rejects(download(), {
    message:
      `${url} returned 14 bytes with the sha256 ${hashOf(Buffer.from('something else'))}, ` +
      `but the manifest says ${sha256}; nothing was saved.`,
  });
  assert.deepEqual(await files(), []);
});

test('a damaged file is replaced, but only by the right one', async (t) => {
  let answer: Buffer = Buffer.from('still wrong');
  const { root, download } = await setUp(t, (_, response) => response.end(answer));
  await mkdir(join(root, 'face'));
  await writeFile(join(root, file), 'damaged');
  await assert.rejects(download(), /but the manifest says/);
  assert.equal(await readFile(join(root, file), 'utf8'), 'damaged');
  answer = model;
  await download();
  assert.deepEqual(await readFile(join(root, file)), model);
});

test('a server that refuses, breaks off, hangs or is not there is told apart', async (t) => {
  const refuses: RequestListener = (_, response) => response.writeHead(404).end('no such file');
  const breaksOff: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-length': model.length });
    response.write(model.subarray(0, 1000), () => response.destroy());
  };
  const late = new AbortController();
  const hangs: RequestListener = (_, response) => {
    response.write('a', () => {
      late.abort(new Error('too late'));
    });
  };
  const table: [RequestListener, RegExp][] = [
    [refuses, /Cannot download http\S+: the server answers 404 Not Found\./],
    [breaksOff, /Cannot download http\S+: terminated/],
    [hangs, /Cannot download http\S+: too late\./],
  ];
  for (const [answer, message] of table) {
    const { download, files } = await setUp(t, answer);
    await assert.rejects(download(late.signal), message);
    assert.deepEqual(await files(), []);
  }
  const { server, download } = await setUp(t, refuses);
  server.close();
  await assert.rejects(
    download(),
    /fetch failed \(.*ECONNREFUSED.*\)\. The embedded models need no download; .* put the file at models\/face\/some\.onnx yourself/,
  );
});

test('the shipped manifest pins what can be downloaded', async () => {
  const manifest = await loadManifest(new URL('../../../../../models/manifest.json', import.meta.url));
  const graphs = downloadedGraphs(manifest.models);
  assert.deepEqual(
    graphs.map((graph) => graph.file),
    ['face/yunet_n_dynamic.onnx'],
  );
  // A commit, not a branch: the bytes behind the address must not change.
  for (const { url } of graphs) assert.match(url, /\/[0-9a-f]{40}\//);
});
