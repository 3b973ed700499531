import sharp from 'sharp';

const allowedLoaders = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadHeifBuffer',
  'VipsForeignLoadNsgifBuffer',
  'VipsForeignLoadTiffBuffer',
];

const smallestSvg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>',
);

/**
 * Leaves libvips only the loaders of the six picture types, from memory, and no cache.
 *
 * The blocks hold for the whole process, and while they are set even the allowed loaders are
 * blocked for an instant. So a thread that starts while others decode first looks whether it has
 * been done, by a picture that only an unrestricted libvips takes.
 */
export async function restrictLoaders(): Promise<void> {
  // Pictures do not repeat, and a worker does one thing at a time.
  sharp.cache(false);
  sharp.concurrency(1);
  const isOpen = await sharp(smallestSvg)
    .metadata()
    .then(
      () => true,
      () => false,
    );
  if (!isOpen) return;
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: allowedLoaders });
}
