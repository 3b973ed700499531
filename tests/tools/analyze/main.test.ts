import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { findFreePorts } from '../../../launcher/ports.js';
import type { Line } from '../../../tools/analyze/features.js';
import { eventually } from '../../helpers/eventually.js';
import { createLifetime } from '../../helpers/lifetime.js';
import { listen } from '../../helpers/net/listen.js';
import { readSample } from '../../helpers/pictures/samples.js';
import { startService, type TestService } from '../../helpers/service/service.js';
import { createTemporaryFolder } from '../../helpers/temporary-folder.js';

const lifetime = createLifetime();
const command = fileURLToPath(new URL('../../../tools/analyze/main.js', import.meta.url));
const pictures = 40;

describe('npm run analyze', () => {
  let service: TestService;
  let folder: string;

  before(async () => {
    service = await startService(lifetime);
    folder = await createTemporaryFolder(lifetime);
    await mkdir(path.join(folder, 'photos/more'), { recursive: true });
    const portrait = await sharp(await readSample('astronaut.jpg'))
      .resize(320)
      .jpeg()
      .toBuffer();
    for (let i = 0; i < pictures; i += 1)
      await writeFile(path.join(folder, `photos/${i % 2 ? 'more/' : ''}${i}.jpg`), portrait);
    await writeFile(path.join(folder, 'photos/broken.jpg'), portrait.subarray(0, 1_000));
    await writeFile(path.join(folder, 'photos/huge.jpg'), Buffer.alloc(2_000_000));
    await writeFile(path.join(folder, 'photos/notes.txt'), 'not asked about');
  });

  function start(args: readonly string[], apiKey = service.apiKey): ChildProcess {
    return spawn(process.execPath, [command, '--address', service.grpc, ...args], {
      cwd: folder,
      env: { ...process.env, APIKEY: apiKey },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  const run = (...args: string[]) => outcome(start(args));

  async function outcome(child: ChildProcess): Promise<{ code: number | null; stderr: string }> {
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stderr };
  }

  const readText = (name: string) => readFile(path.join(folder, name), 'utf8').catch(() => '');
  const readLines = async (name: string) =>
    (await readText(name))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line & { result?: object[] });

  it('writes copies with hidden faces, and resumes', async () => {
    const { code, stderr } = await run('--redact', 'hidden', '--csv', 'hidden.csv', 'photos/more', 'photos/broken.jpg');
    assert.equal(code, 1, stderr);
    assert.match(stderr, /with faces 20; refused: CORRUPT_IMAGE 1; wrote redactions.jsonl/);
    assert.deepEqual(
      (await readLines('redactions.jsonl')).find(({ file }) => file === 'photos/more/1.jpg'),
      { file: 'photos/more/1.jpg', feature: 'redactions', faces: 1 },
    );
    assert.match(await readText('hidden.csv'), /^file,faces,reason,message\r\n[^]*photos\/more\/1.jpg,1,,\r\n/);
    const names = await readdir(path.join(folder, 'hidden/photos/more'));
    assert.equal(names.length, 20);
    const copy = await readFile(path.join(folder, 'hidden/photos/more/1.jpg.jpg'));
    assert.equal((await sharp(copy).metadata()).width, 320);
    assert.ok(!copy.equals(await readFile(path.join(folder, 'photos/more/1.jpg'))));
    const again = await run('--redact', 'hidden', 'photos/more');
    assert.match(again.stderr, /20 done before/);
    // Elsewhere, such as with another score, there are none yet.
    const elsewhere = await run('--redact', 'stricter', '--min-score', '0.05', 'photos/more');
    assert.match(elsewhere.stderr, /100% 20\/20,.*\n.*with faces 20;/);
    assert.equal((await readdir(path.join(folder, 'stricter/photos/more'))).length, 20);
    const long = `${'x'.repeat(248)}.jpg`;
    await copyFile(path.join(folder, 'photos/more/1.jpg'), path.join(folder, long));
    const unwritable = await run('--redact', 'hidden', '--output', 'long.jsonl', long);
    assert.equal(unwritable.code, 1);
    assert.match(unwritable.stderr, /ENAMETOOLONG/);
  });

  it('reads the photos of each folder as those of one meter', async () => {
    const meter = await readSample('meter.jpg');
    const dim = await sharp(meter).linear(0.6, 0).blur(1).jpeg().toBuffer();
    for (const one of ['hall', 'cellar', 'roof']) await mkdir(path.join(folder, 'meters', one), { recursive: true });
    const write = (name: string, bytes: Buffer) => writeFile(path.join(folder, 'meters', name), bytes);
    await Promise.all([
      write('hall/1.jpg', dim),
      write('hall/2.jpg', meter),
      write('hall/3.jpg', meter.subarray(0, 99)),
    ]);
    await write('cellar/1.jpg', meter);
    for (let number = 1; number < 10; number += 1) await write(`roof/${number}.jpg`, dim);

    const { code, stderr } = await run('--fuse', '--csv', 'fused.csv', 'meters');
    assert.equal(code, 1, stderr);
    assert.match(stderr, /3\/3[^]*; refused: INVALID_FIELD 1; wrote fused\.jsonl/);
    const lines = await readLines('fused.jsonl');
    const lineOf = (name: string) => lines.find(({ file }) => file === `meters/${name}`);
    const { value, status, photos } = lineOf('hall') as unknown as { value: string; status: string; photos: object[] };
    assert.deepEqual([value, status, photos.length], ['00473.286', 'ok', 3]);
    assert.deepEqual(photos[2], { file: 'meters/hall/3.jpg', agrees: false, refusal: 'CORRUPT_IMAGE' });
    assert.equal(lineOf('cellar')?.['best_photo'], 0);
    assert.match(lineOf('roof')?.error?.message ?? '', /^images has 9 pictures, want/);
    assert.match(await readText('fused.csv'), /\r\nmeters\/hall,ok,00473\.286,m3,/);
    assert.match((await run('--fuse', 'meters')).stderr, /2 done before, 1 failed/);
    const unknown = await outcome(start(['--fuse', '--output', 'no.jsonl', 'meters/cellar'], 'ia_wrong'));
    assert.match(unknown.stderr, /apikey/);
    assert.equal(await readText('no.jsonl'), '');
  });

  it('goes on after it was killed, with every picture once', async () => {
    const args = ['--output', 'a.jsonl', '--max-bytes', '1000000', '--in-flight', '2', 'photos'];
    const child = start(args);
    const ended = once(child, 'close');
    await eventually(async () => (await readLines('a.jsonl')).length >= 5);
    child.kill('SIGKILL');
    await ended;
    const before = await readLines('a.jsonl');
    assert.ok(before.length < pictures + 2, 'it was killed in the middle');
    // What a process that is killed while it writes leaves.
    await appendFile(path.join(folder, 'a.jsonl'), '{"file":"photos/0.j');

    const { code, stderr } = await run(...args);
    assert.equal(code, 1, stderr);
    const lines = await readLines('a.jsonl');
    const expected = Array.from({ length: pictures }, (_, i) => `photos/${i % 2 ? 'more/' : ''}${i}.jpg`);
    assert.deepEqual(
      lines.map(({ file }) => file).sort(),
      [...expected, 'photos/broken.jpg', 'photos/huge.jpg'].sort(),
    );
    assert.deepEqual(lines.slice(0, before.length), before);
    for (const { error, result } of lines.filter(({ file }) => expected.includes(file))) {
      assert.equal(error, undefined);
      assert.equal(result?.length, 1);
    }
    const errors = lines.flatMap(({ file, error }) => (error ? `${file} ${error.reason}` : []));
    assert.deepEqual(errors.sort(), ['photos/broken.jpg CORRUPT_IMAGE', 'photos/huge.jpg BODY_TOO_LARGE']);

    // What is damaged is not sent again; a limit may be another one now, and what is supported too.
    const more = await run(...args, '--max-bytes', '3000000');
    assert.match(more.stderr, /41 done before, 1 failed/);
    const [last] = (await readLines('a.jsonl')).slice(pictures + 2);
    assert.deepEqual([last?.file, last?.error?.reason], ['photos/huge.jpg', 'UNSUPPORTED_IMAGE_TYPE']);
    assert.match((await run(...args)).stderr, /41 done before, 1 failed/);
  });

  it('ends where its options are refused, and goes on once they are mended', async () => {
    const args = ['--output', 'c.jsonl', 'photos/0.jpg', 'photos/more'];
    const mistaken = await run('--company', 'misspelt', ...args);
    assert.equal(mistaken.code, 2, mistaken.stderr);
    assert.match(mistaken.stderr, /company is "misspelt", want the name of a registered company/);
    assert.equal(await readText('c.jsonl'), '');

    assert.equal((await run(...args)).code, 0);
    assert.equal((await readLines('c.jsonl')).length, 1 + pictures / 2);
  });

  it('does the others when one is missing, and ends with a summary and a table', async () => {
    await writeFile(path.join(folder, 'sample, 1.jpg'), await readSample('meter.jpg'));
    const args = ['--output', 'table.jsonl', '--csv', 'faces.csv'];
    const pictures = ['gone.jpg', 'photos/0.jpg', 'sample, 1.jpg', 'photos/broken.jpg'];
    const { code, stderr } = await run(...args, ...pictures);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /^analyze: gone\.jpg: there is no such file\n/);
    assert.match(stderr, /with faces 1, without faces 1|without faces 1, with faces 1/);
    assert.match(stderr, /; refused: CORRUPT_IMAGE 1; wrote table\.jsonl\n/);
    const [head, ...rows] = (await readText('faces.csv')).trimEnd().split('\r\n');
    const { result, error } = (await readLines('table.jsonl')).reduce((all, line) => ({
      ...all,
      ...(line.result?.length === 0 ? {} : line),
    }));
    const [{ bbox, detection_score: score }] = result as [{ bbox: Record<string, number>; detection_score: string }];
    assert.match(score, /^0\.\d{4,6}$/);
    assert.equal(head, 'file,detection_score,xmin,ymin,xmax,ymax,reason,message');
    assert.deepEqual(rows.sort().reverse(), [
      `photos/broken.jpg,,,,,,CORRUPT_IMAGE,"${error?.message}"`,
      `photos/0.jpg,${score},${bbox['xmin']},${bbox['ymin']},${bbox['xmax']},${bbox['ymax']},,`,
      '"sample, 1.jpg",,,,,,,',
    ]);
  });

  it('asks for nothing where its table or its copies would replace a picture', async () => {
    for (const option of [
      ['--csv', 'photos/0.jpg'],
      ['--redact', 'photos'],
    ])
      assert.equal((await run('--output', 'none.jsonl', ...option, 'photos/0.jpg')).code, 2, option.join(' '));
    assert.equal(await readText('none.jsonl'), '');
  });

  it('reads meters, and writes annotated copies', async () => {
    await writeFile(path.join(folder, 'meter-1.jpg'), await readSample('meter.jpg'));
    const { code, stderr } = await run('--feature', 'meters', '--annotate', 'out', 'meter-1.jpg');
    assert.equal(code, 0, stderr);
    const [line] = await readLines('meters.jsonl');
    assert.equal(line?.file, 'meter-1.jpg');
    assert.match(String(line?.['meter_number']), /^\d{5,}$/);
    // As bytes: the service in this process blocks what reads files.
    const copy = await sharp(await readFile(path.join(folder, 'out/meter-1.jpg.jpg'))).metadata();
    assert.equal(copy.format, 'jpeg');

    // The answer of before is enough for another copy.
    const again = await run('--feature', 'meters', '--annotate', 'later', 'meter-1.jpg');
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stderr, /1\/1, 0\.0\/s, 1 done before/);
    assert.deepEqual(
      await readFile(path.join(folder, 'later/meter-1.jpg.jpg')),
      await readFile(path.join(folder, 'out/meter-1.jpg.jpg')),
    );
  });

  it('tells of what it leaves out, and sends what only the service can refuse', async () => {
    await mkdir(path.join(folder, 'phone'));
    const photo = await readFile(path.join(folder, 'photos/0.jpg'));
    for (const name of ['1.jpg', 'IMG_2.HEIC', '3.bmp', 'no-ending'])
      await writeFile(path.join(folder, 'phone', name), photo);
    for (const name of 'abcdef') await writeFile(path.join(folder, 'phone', `${name}.txt`), '');
    const { code, stderr } = await run('--output', 'phone.jsonl', 'phone');
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /skipped 7 files without an image extension: phone\/a\.txt, .*phone\/e\.txt, …; name a file on the command line to send it anyway\n/,
    );
    const files = async () => (await readLines('phone.jsonl')).map(({ file }) => file).sort();
    assert.deepEqual(await files(), ['phone/1.jpg', 'phone/3.bmp', 'phone/IMG_2.HEIC']);

    const named = await run('--output', 'phone.jsonl', 'phone/no-ending');
    assert.doesNotMatch(named.stderr, /skipped/);
    assert.ok((await files()).includes('phone/no-ending'));
  });

  it('names the options where HTTP/1 is spoken', async (t) => {
    const server = createServer((_request, response) => response.end());
    const port = await listen(t, server);
    const child = start(['--address', `127.0.0.1:${port}`, 'photos/0.jpg']);
    const [warning] = (await once(child.stderr as NodeJS.ReadableStream, 'data')) as [Buffer];
    const left = once(child, 'close');
    child.kill('SIGINT');
    await left;
    assert.match(warning.toString(), /cannot reach a core's gRPC port at 127\.0\.0\.1:\d+, see .*; trying again/);
  });

  it('says that nobody listens, and that it wrote something only where it did', async () => {
    const [port] = await findFreePorts(1);
    const args = ['--address', `127.0.0.1:${port}`, '--output', 'none.jsonl', 'photos/0.jpg'];
    const child = start(args);
    child.stderr?.once('data', () => child.kill('SIGINT'));
    const { stderr } = await outcome(child);
    assert.match(
      stderr,
      new RegExp(`gRPC port at 127.0.0.1:${port}, see .*: .*connect ECONNREFUSED 127.0.0.1:${port}; trying again`),
    );
    assert.doesNotMatch(stderr, /wrote/);
    assert.match(
      (await run('--output', 'one.jsonl', 'photos/0.jpg')).stderr,
      /\nanalyze: with faces 1; wrote one\.jsonl\n/,
    );
  });

  it('stops on SIGINT and says how to go on', async () => {
    const child = start(['--output', 'b.jsonl', '--in-flight', '1', 'photos']);
    const ended = outcome(child);
    await eventually(async () => (await readLines('b.jsonl')).length >= 2);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assert.match(stderr, /stopped; run it again to resume/);
  });

  it('stops on SIGINT while it makes missing copies', async () => {
    const copies = path.join(folder, 'copies');
    const made = () => readdir(copies, { recursive: true }).catch(() => []);
    // Answered before it was killed and after.
    const child = start(['--output', 'a.jsonl', '--annotate', 'copies', 'photos']);
    const ended = outcome(child);
    await eventually(async () => (await made()).length > 0);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assert.match(stderr, /stopped; run it again to resume/);
    assert.ok((await made()).length < pictures / 2);
  });

  it('ends with 2 where its options are mistaken, with 1 where a picture is missing', async () => {
    const mistaken = await run('--surprise', 'photos');
    assert.equal(mistaken.code, 2);
    assert.match(mistaken.stderr, /Unknown option '--surprise'/);
    assert.deepEqual(await run('nowhere'), {
      code: 1,
      stderr: 'analyze: nowhere: there is no such file\nanalyze: no picture was found in nowhere\n',
    });
  });
});
