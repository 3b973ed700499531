import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { createLifetime } from '../helpers/lifetime.js';
import { readSample } from '../helpers/pictures/samples.js';
import { startService, type TestService } from '../helpers/service/service.js';

const lifetime = createLifetime();
/** In the metadata of the pictures that are sent. */
const secret = 'Zanzibar-1974';

describe('a redaction', () => {
  let service: TestService;
  /** On its side, with everything that cameras and programs add. */
  let turned: Buffer;

  before(async () => {
    service = await startService(lifetime);
    await service.createCompany('acme', 'correct horse');
    turned = await sharp(
      await sharp(await readSample('astronaut.jpg'))
        .rotate(270)
        .toBuffer(),
    )
      .withExif({
        IFD0: { Copyright: secret, Orientation: '6' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
      })
      .withXmp(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- ${secret} --></x:xmpmeta>`)
      .withIccProfile('p3', { attach: true })
      .jpeg({ quality: 95 })
      .toBuffer();
    // A comment, and bytes behind the end.
    const comment = Buffer.from(`\xff\xfe\0\x0f${secret}`, 'latin1');
    turned = Buffer.concat([turned.subarray(0, 2), comment, turned.subarray(2), Buffer.from(secret)]);
  });

  const post = (body: Uint8Array, query = '', path = '/v1/faces/redact', { rest, apiKey } = service) =>
    fetch(`${rest}${path}?${query}`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers: { apikey: apiKey, 'content-type': 'image/jpeg' },
    });

  const reasonOf = async (answer: Response) => ((await answer.json()) as { reason: string }).reason;

  async function redact(body: Uint8Array, query = '') {
    const answer = await post(body, query);
    assert.equal(answer.status, 200, answer.ok ? '' : await answer.text());
    const image = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.headers.get('content-length'), String(image.length));
    return { image, type: answer.headers.get('content-type'), faces: answer.headers.get('x-face-count') };
  }

  async function boxOf(body: Uint8Array) {
    const answer = await post(body, 'crop=false', '/face_detect_single');
    const { bbox } = (await answer.json()) as { bbox: Record<'xmin' | 'ymin' | 'xmax' | 'ymax', number> };
    return bbox;
  }

  const pixelsOf = (image: Uint8Array) => sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });

  it('leaves no metadata, in any format', async () => {
    const { exif, xmp, icc } = await sharp(turned).metadata();
    assert.ok(exif && xmp && icc && turned.includes(secret));
    for (const format of ['jpeg', 'png', 'webp']) {
      const { image, type } = await redact(turned, `format=${format}`);
      assert.equal(type, `image/${format}`);
      const found = await sharp(image).metadata();
      for (const part of ['exif', 'xmp', 'icc', 'iptc', 'tifftagPhotoshop', 'comments', 'orientation'] as const)
        assert.equal(found[part], undefined, `${format} ${part}`);
      for (const text of [secret, 'Exif', 'GPS', 'xmpmeta', 'ICC_PROFILE', 'iCCP', 'acsp', 'tEXt', 'eXIf'])
        assert.ok(!image.includes(text), `${format} has ${text}`);
    }
  });

  it('is upright and covers the face and its margin, and nothing else', async () => {
    const { xmin, ymin, xmax, ymax } = await boxOf(turned);
    const before = await pixelsOf(await sharp(turned).autoOrient().toBuffer());
    const { image, faces } = await redact(turned, 'style=box&format=png&min_score=0.45');
    const after = await pixelsOf(image);
    assert.equal(faces, '1');
    assert.deepEqual([after.info.width, after.info.height], [before.info.width, before.info.height]);
    const [wide, high] = [(xmax - xmin) * 0.2, (ymax - ymin) * 0.2];
    const { width, height } = after.info;
    let [covered, strayed] = [0, 0];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const at = (y * width + x) * 3;
        const isBlack = after.data.readUIntBE(at, 3) === 0;
        const isInside = x >= xmin - wide + 1 && x < xmax + wide - 1 && y >= ymin - high + 1 && y < ymax + high - 1;
        if (isInside) assert.ok(isBlack, `${x} ${y}`);
        if (isInside) covered += 1;
        const isFarOut = x < xmin - wide - 1 || x > xmax + wide + 1 || y < ymin - high - 1 || y > ymax + high + 1;
        // Colours of the other profile are converted.
        if (isFarOut && isBlack && before.data.readUIntBE(at, 3) > 0x404040) strayed += 1;
      }
    assert.ok(covered > 1000, String(covered));
    assert.equal(strayed, 0);
  });

  it('leaves no face to be found when boxed, and none like it when blurred or pixelated', async () => {
    const portrait = await readSample('astronaut.jpg');
    const boxed = await redact(portrait, 'style=box');
    assert.equal(await reasonOf(await post(boxed.image, '', '/face_detect_single')), 'NO_FACE');
    const [before, { xmin, ymin, xmax, ymax }] = [await pixelsOf(portrait), await boxOf(portrait)];
    for (const style of ['', 'style=blur', 'style=pixelate']) {
      const after = await pixelsOf((await redact(portrait, style)).image);
      // Steps between neighbours are what a face is made of.
      const detail = ({ data, info }: typeof after): number => {
        let sum = 0;
        for (let y = Math.ceil(ymin); y < ymax; y++)
          for (let x = Math.ceil(xmin); x < xmax; x++) {
            const at = (y * info.width + x) * 3;
            sum += Math.abs((data[at] ?? 0) - (data[at + 3] ?? 0));
          }
        return sum;
      };
      assert.ok(detail(after) < detail(before) / 2.5, `${style}: ${detail(after)} of ${detail(before)}`);
    }
  });

  it('takes the default score of all where it is lower than its own, and no picture that the core finds too large', async () => {
    const settings = { CORE_DEFAULT_SCORE: '0.02', CORE_MAX_IMAGE_BYTES: '1000000' };
    const other = await startService(lifetime, settings);
    const portrait = await readSample('astronaut.jpg');
    const ask = (body: Buffer) => post(body, undefined, undefined, other);
    // Faces from 6 to 10 pixels, in which a low score finds parts of faces too.
    const small = [40, 44, 48, 52, 56, 60].map((side) => sharp(portrait).resize(side, side).toBuffer());
    const page = sharp({ create: { width: 600, height: 100, channels: 3, background: '#fff' } });
    const faces = (await Promise.all(small)).map((input, i) => ({ input, left: 100 * i, top: 20 }));
    const crowd = await page.composite(faces).jpeg().toBuffer();
    const low = await ask(crowd);
    const [few, more] = [Number((await redact(crowd)).faces), Number(low.headers.get('x-face-count'))];
    assert.equal(few, small.length);
    assert.ok(few < more, `${more} faces by 0.02`);
    const refused = await ask(Buffer.concat([portrait, Buffer.alloc(1_000_001 - portrait.length)]));
    const { details } = (await refused.json()) as { details: object };
    assert.deepEqual([refused.status, details], [413, { field: 'body', value: '1000001', limit: '1000000' }]);
  });

  it('keeps the type of the picture, and gives JPEG for others', async () => {
    const portrait = sharp(await readSample('astronaut.jpg')).resize(200);
    for (const [format, type] of [
      ['jpeg', 'image/jpeg'],
      ['png', 'image/png'],
      ['webp', 'image/webp'],
      ['avif', 'image/jpeg'],
      ['gif', 'image/jpeg'],
      ['tiff', 'image/jpeg'],
    ] as const) {
      const { image, ...rest } = await redact(await portrait.clone().toFormat(format).toBuffer());
      assert.deepEqual(rest, { type, faces: '1' }, format);
      assert.equal(`image/${(await sharp(image).metadata()).format}`, type);
    }
  });

  it('returns a picture without faces, clean as well', async () => {
    const empty = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#3a7' } })
      .withExif({ IFD0: { Copyright: secret } })
      .jpeg()
      .toBuffer();
    const { image, faces } = await redact(empty);
    assert.equal(faces, '0');
    assert.ok(!image.includes(secret));
    assert.equal((await sharp(image).metadata()).width, 300);
  });

  it('hides a bystander behind a portrait, whom a glance does not see', async () => {
    const sample = await readSample('astronaut.jpg');
    const bystander = await sharp(sample)
      .extract({ left: 130, top: 0, width: 200, height: 260 })
      .resize(140)
      .toBuffer();
    const portrait = await sharp(sample)
      .resize(2600)
      .composite([{ input: bystander, left: 40, top: 1200 }])
      .jpeg()
      .toBuffer();
    assert.equal((await redact(portrait, 'min_score=0.45')).faces, '2');
  });

  it('is of larger pictures than are decoded at once too', async () => {
    const large = await sharp(await readSample('astronaut.jpg'))
      .resize(2400, 2400)
      .jpeg()
      .toBuffer();
    const { image, faces } = await redact(large);
    const { width, height } = await sharp(image).metadata();
    assert.deepEqual([faces, width, height], ['1', 2400, 2400]);
  });

  it('hides what scores lower than a detection needs, also for a company with a high score, unless the request has one', async () => {
    // Shrunk until it is no sure face any more.
    const portrait = await readSample('astronaut.jpg');
    const scored = async (body: Uint8Array) => {
      const answer = await post(body, 'crop=false&min_score=0.02', '/face_detect_multi');
      const { result } = (await answer.json()) as { result: { detection_score: string }[] };
      return Math.max(0, ...result.map(({ detection_score: score }) => Number(score)));
    };
    let weak: Buffer | undefined;
    for (let side = 90; side > 30 && weak === undefined; side -= 1) {
      const small = await sharp(portrait).resize(side).blur(1.2).png().toBuffer();
      const score = await scored(small);
      if (score > 0.12 && score < 0.43) weak = small;
    }
    assert.ok(weak, 'a weak face');
    assert.equal((await redact(weak)).faces, '1');
    assert.equal((await redact(weak, 'min_score=0.45')).faces, '0');
    const set = await fetch(`${service.rest}/v1/companies/acme/detection-score`, {
      method: 'PUT',
      headers: { apikey: service.apiKey, 'x-company-password': 'correct horse', 'content-type': 'application/json' },
      body: '{"detection_score": 0.9}',
    });
    assert.equal(set.status, 200);
    assert.equal((await redact(weak, 'company=acme')).faces, '1');
    assert.equal((await redact(weak, 'company=acme&min_score=0.45')).faces, '0');
  });

  it('refuses what it does not know', async () => {
    const portrait = await readSample('astronaut.jpg');
    for (const [query, message] of [
      ['style=smear', 'style is "smear", want blur, pixelate or box'],
      ['format=gif', 'format is "gif", want jpeg, png or webp'],
      ['margin=1.5', 'margin is 1.5, want a number from 0 to 1 with at most 6 decimals'],
    ] as const) {
      const answer = await post(portrait, query);
      assert.equal(answer.status, 400);
      const body = (await answer.json()) as { message: string; reason: string; details: Record<string, string> };
      assert.deepEqual([body.message, body.reason], [message, 'INVALID_FIELD']);
      const { field, value } = body.details;
      assert.equal(`${field}=${value}`, query);
    }
    assert.equal(await reasonOf(await post(Buffer.from('no picture'))), 'UNSUPPORTED_IMAGE_TYPE');
    assert.equal(await reasonOf(await post(portrait, 'company=nobody')), 'UNKNOWN_COMPANY');
    const wide = await sharp({ create: { width: 16_384, height: 8, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    assert.equal((await redact(wide)).type, 'image/png');
    assert.equal(await reasonOf(await post(wide, 'format=webp')), 'INVALID_FIELD');
  });
});
