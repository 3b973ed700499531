import sharp from 'sharp';
import { createStopwatch } from '../../core-server/common/stopwatch.js';
import { loadMeterModel } from '../../core-server/features/meter/meter-model.js';
import { createNetworkCounterReader } from '../../core-server/features/meter/network-counter-reader.js';
import { decodeUpright } from '../../core-server/image/decode/decode.js';
import { scaledSize } from '../../core-server/image/picture.js';
import { resizePicture } from '../../core-server/image/resize/resize-picture.js';
import type { Manifest, ModelEntry } from '../../core-server/inference/models/manifest.js';
import type { RunModel, TensorData } from '../../core-server/inference/models/sessions.js';
import { openSession } from './sessions.js';

/** One run of a network, as the service made it. */
interface Step {
  readonly run: RunModel;
  readonly feeds: Readonly<Record<string, TensorData>>;
}

/**
 * Has the service's reader read a picture once and notes what it gave the networks; the replay
 * decodes and shrinks as the service does and runs the networks on the same, without judging what they say.
 */
export async function createMeterReplay(manifest: Manifest, folder: URL) {
  let steps: Step[] = [];
  const open = async (entry: ModelEntry) => {
    const run = await openSession(entry, folder);
    const runNoted: RunModel = (feeds) => {
      steps.push({ run, feeds });
      return run(feeds);
    };
    return { run: runNoted, release: () => Promise.resolve() };
  };
  const { rules, ...networks } = await loadMeterModel(manifest, folder);
  const models = {
    locate: await open(networks.locate),
    refine: await open(networks.refine),
    read: await open(networks.read),
    mark: await open(networks.mark),
  };
  const reader = createNetworkCounterReader(models, rules);

  return async (file: Uint8Array): Promise<() => Promise<void>> => {
    steps = [];
    const { maxSide, locateSize } = rules;
    const { width, height } = await sharp(file).metadata();
    const size = { width, height };
    const copySize = scaledSize(size, Math.min(1, maxSide / Math.max(width, height)));
    const decode = () => decodeUpright({ bytes: file, type: 'jpeg', size, usesProfile: false }, copySize);
    const { time } = createStopwatch(new AbortController().signal);
    await reader.read(await decode(), {}, time);
    const noted = steps;
    return async () => {
      const picture = await decode();
      resizePicture(picture, scaledSize(picture, locateSize / Math.max(picture.width, picture.height)));
      for (const { run, feeds } of noted) await run(feeds);
    };
  };
}
