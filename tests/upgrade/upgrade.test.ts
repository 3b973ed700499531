import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it, test, type TestContext } from 'node:test';
import { type Client, credentials, loadPackageDefinition, Server, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer } from '@grpc/proto-loader';
import { createClient } from 'image-analysis/client';
import type { DatabaseOptions } from '../../core-server/store/database.js';
import { isPostgres } from '../../core-server/store/postgres/open-postgres.js';
import { sqliteFileName } from '../../core-server/store/sqlite/sqlite-file.js';
import { openDatabase, startDialects } from '../helpers/databases/databases.js';
import { createLifetime } from '../helpers/lifetime.js';
import { createForm } from '../helpers/net/form.js';
import { bindServer, metadataWithKey } from '../helpers/net/grpc.js';
import { readSample } from '../helpers/pictures/samples.js';
import { reasonOf } from '../helpers/service/scripted-service.js';
import { startTestCore } from '../helpers/service/start-core.js';
import { startFacade } from '../rest-facade/facade.js';

// Released versions beside today's: tests/upgrade/<version>/ is written by make-fixture.sh, with the code of then.

const dialects = await startDialects();
after(() => Promise.all(dialects.map((dialect) => dialect.stop())));

const folders = 'tests/upgrade';
const versions = (await readdir(folders, { withFileTypes: true })).filter((entry) => entry.isDirectory());

type Secrets = Record<
  'SQLite' | 'PostgreSQL',
  { company: string; password: string; full: string; meters: string; revoked: string }
>;
type Message = Record<string, unknown>;
type OldClient = Client & Record<string, (...args: unknown[]) => void>;

for (const { name: version } of versions)
  describe(`the version ${version}`, () => {
    const folder = path.join(folders, version);
    let protos: Record<string, ServiceClientConstructor>;
    let portrait: Buffer;
    let meter: Buffer;

    before(async () => {
      const descriptors = await readFile(path.join(folder, 'descriptors.binpb'));
      // Without defaults: an absent message is absent, as in the clients of then.
      const loaded = loadPackageDefinition(
        loadFileDescriptorSetFromBuffer(descriptors, { keepCase: true, longs: String, enums: String, arrays: true }),
      );
      protos = (loaded as unknown as { imageanalysis: { v1: typeof protos } }).imageanalysis.v1;
      [portrait, meter] = await Promise.all([readSample('astronaut.jpg'), readSample('meter.jpg')]);
    });

    it('has protos that today break in nothing', () => {
      const against = path.join(folder, 'descriptors.binpb');
      const { status, stdout, stderr } = spawnSync('npx', ['--no-install', 'buf', 'breaking', '--against', against]);
      assert.equal(status, 0, `${stdout.toString()}${stderr.toString()}`);
    });

    for (const dialect of dialects)
      describe(`its store on ${dialect.name}`, { skip: dialect.skip }, () => {
        const lifetime = createLifetime();
        let secrets: Secrets[typeof dialect.name];
        let place: DatabaseOptions;
        let port: number;

        before(async () => {
          const all = JSON.parse(await readFile(path.join(folder, 'secrets.json'), 'utf8')) as Secrets;
          secrets = all[dialect.name];
          place = await dialect.place(lifetime);
          const { url, dataDir } = place;
          if (url === undefined) {
            // As a backup is restored: by its name.
            await copyFile(path.join(folder, 'store.sqlite3'), path.join(dataDir, sqliteFileName));
          } else {
            const client = await dialect.server?.connect(new URL(url).pathname.slice(1));
            await client?.query(await readFile(path.join(folder, 'store.sql'), 'utf8'));
            await client?.end();
          }
          const settings = url === undefined ? { CORE_DATA_DIR: dataDir } : { DATABASE_URL: url };
          ({ port } = await startTestCore(lifetime, settings));
        });

        function openOldClient(t: TestContext, service: string): OldClient {
          const Constructor = protos[service] as ServiceClientConstructor;
          const client = new Constructor(`127.0.0.1:${port}`, credentials.createInsecure());
          t.after(() => client.close());
          return client as unknown as OldClient;
        }

        async function call(
          client: OldClient,
          rpc: string,
          request: Message,
          metadata = metadataWithKey(secrets.full),
        ) {
          return await new Promise<Message>((resolve, reject) =>
            client[rpc]?.(request, metadata, (error: Error | null, response: Message) =>
              error ? reject(error) : resolve(response),
            ),
          );
        }

        it('has keys, a company and a score that hold on', async (t) => {
          const { company, password, meters, revoked } = secrets;
          const scores = openOldClient(t, 'ScoreConfigService');
          const asked = { company, password };
          const found = await call(scores, 'GetDetectionScore', asked);
          assert.equal(found['detection_score'], 0.75);
          const set = await call(scores, 'SetDetectionScore', { ...asked, detection_score: 0.5 });
          assert.equal(set['detection_score'], 0.5);
          for (const [key, reason] of [
            [meters, 'KEY_NOT_ALLOWED'],
            [revoked, 'INVALID_API_KEY'],
          ] as const)
            assert.equal(await reasonOf(call(scores, 'GetDetectionScore', asked, metadataWithKey(key))), reason);
        });

        it('has clients that today answers', async (t) => {
          const faces = openOldClient(t, 'FaceDetectionService');
          const meters = openOldClient(t, 'MeterReadingService');
          const single = await call(faces, 'DetectSingleFace', { image: portrait, company: secrets.company });
          const { bounding_box: box, detection_score: score, crop_jpeg: crop } = single['face'] as Message;
          assert.deepEqual(Object.keys(box as Message).sort(), ['xmax', 'xmin', 'ymax', 'ymin']);
          assert.ok(Number(score) > 0.9 && (crop as Buffer).length > 1_000);
          const all = await call(faces, 'DetectAllFaces', { image: portrait, min_score: 0.5, landmarks: true });
          assert.equal((all['faces'] as unknown[]).length, 1);
          const read = await call(meters, 'ReadMeter', { image: meter }, metadataWithKey(secrets.meters));
          assert.equal(read['unit'], 'm3');
          assert.match(String(read['value']), /^\d+\.\d+$/);
          // An enum that is no name of then would be a number.
          assert.match(String(read['status']), /^READING_STATUS_/);
        });

        it('has the schema of a new store once it is migrated', async (t) => {
          const fresh = await dialect.place(t);
          assert.deepEqual(await readSchema(t, place), await readSchema(t, fresh));
        });
      });

    it('has a core that today lets its clients and its facade work', async (t) => {
      const asked: Message[] = [];
      const box = { xmin: 1, ymin: 2, xmax: 3, ymax: 4 };
      const face = { bounding_box: box, detection_score: 0.9, crop_jpeg: Buffer.from('crop') };
      const server = new Server();
      for (const [name, answers] of Object.entries<Record<string, Message>>({
        FaceDetectionService: { DetectSingleFace: { face }, DetectAllFaces: { faces: [face] } },
        MeterReadingService: { ReadMeter: { meter_number: '12', value: '12', unit: 'm3', digits: [] } },
        ScoreConfigService: { GetDetectionScore: { company: 'acme', detection_score: 0.7 } },
      })) {
        const handlers = Object.entries(answers).map(([rpc, answer]) => [
          rpc,
          ({ request }: { request: Message }, done: (error: null, answer: Message) => void) => {
            asked.push(request);
            done(null, answer);
          },
        ]);
        server.addService((protos[name] as ServiceClientConstructor).service, Object.fromEntries(handlers) as never);
      }
      const port = await bindServer(t, server);

      const client = createClient({ address: `127.0.0.1:${port}`, apiKey: 'k', retries: 0 });
      t.after(() => client.close());
      const single = await client.detectSingleFace({ image: portrait, attributes: true });
      // Only a core of then that knows the field sees it.
      const seen = { ...asked.pop(), attributes: undefined };
      assert.deepEqual(seen, { image: portrait, attributes: undefined });
      assert.deepEqual(single.face?.boundingBox, box);
      assert.equal(single.face?.attributes, undefined);
      assert.equal((await client.readMeter({ image: meter })).value, '12');

      const { url } = await startFacade(t, port);
      const headers = { apikey: 'k', 'x-company-password': 'p' };
      const post = (route: string, picture: Buffer) =>
        fetch(url + route, { method: 'POST', headers, body: createForm(picture) });
      for (const [answer, said] of [
        [await post('/face_detect_single', portrait), /"detection_score":"0\.9000"/],
        [await post('/face_detect_multi', portrait), /"detection_score":"0\.9000"/],
        [await post('/meter-number-ocr/file', meter), /"12"/],
        [await fetch(`${url}/v1/companies/acme/detection-score`, { headers }), /"detection_score":0\.7/],
      ] as const) {
        assert.match(await answer.text(), said);
        assert.equal(answer.status, 200);
      }
    });
  });

/** Brings a store up to date and tells what is in it but its rows. */
async function readSchema(t: TestContext, place: DatabaseOptions): Promise<unknown> {
  const db = await openDatabase(t, place);
  if (!isPostgres(db)) return await db('sqlite_master').select('name', 'sql').orderBy('name');
  // A dump loses the parentheses around the first two of three conditions.
  const { rows } = await db.raw<{ rows: unknown[] }>(`
    SELECT table_name || '.' || column_name AS name, concat_ws(' ', data_type, is_nullable, column_default) AS sql
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION SELECT conname, translate(pg_get_constraintdef(oid), '()', '')
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
    ORDER BY name`);
  return rows;
}

test('there is a version to upgrade from', () => assert.notEqual(versions.length, 0));
