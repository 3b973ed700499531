import sharp from 'sharp';
import type { ImageType } from '../inspect/sniff-type.js';

const loaders: Record<Exclude<ImageType, 'heic'>, string> = {
  jpeg: 'VipsForeignLoadJpegBuffer',
  png: 'VipsForeignLoadPngBuffer',
  webp: 'VipsForeignLoadWebpBuffer',
  avif: 'VipsForeignLoadHeifBuffer',
  gif: 'VipsForeignLoadNsgifBuffer',
  tiff: 'VipsForeignLoadTiffBuffer',
};

const smallestSvg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>');

/**
 * Restricts libvips to the loaders of these picture types, from memory, without a cache.
 *
 * The blocks apply to the whole process, and while they are being set, even the allowed loaders are blocked for a
 * moment. So a thread that starts while others decode first checks whether it has been done, using a picture
 * that only an unrestricted libvips accepts.
 */
export async function restrictLoaders(): Promise<void> {
  // Pictures do not repeat, and a worker does one thing at a time.
  sharp.cache(false);
  sharp.concurrency(1);
  const probe = sharp(smallestSvg);
  if ((await probe.metadata().catch(() => undefined)) === undefined) return;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: Object.values(loaders) });
}
