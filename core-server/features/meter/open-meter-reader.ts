import type { ModelEntry } from '../../inference/models/manifest.js';
import { openModel } from '../../inference/models/sessions.js';
import type { MeterModel } from './meter-model.js';
import { createMeterReader, type MeterReader } from './meter-reader.js';
import { createNetworkCounterReader } from './network-counter-reader.js';
import { createPrintedReader } from './printed/printed-reader.js';

/**
 * The task `readMeter` with its networks.
 *
 * @param folder the models lie below it; the manifest's address does as well
 * @param now clock that times the steps, milliseconds
 * @throws Error if a file is missing or wrong
 */
export async function openMeterReader(model: MeterModel, folder: URL, now: () => number): Promise<MeterReader> {
  const open = (entry: ModelEntry) => openModel(entry, folder, { memory: 'given-back' });
  const [locate, refine, read, mark] = await Promise.all([
    open(model.locate),
    open(model.refine),
    open(model.read),
    open(model.mark),
  ]);
  return createMeterReader(
    createNetworkCounterReader({ locate, refine, read, mark }, model.rules, now),
    createPrintedReader(),
    now,
  );
}
