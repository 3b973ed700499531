import { type Manifest, modelFor } from '../inference/manifest.js';
import { openModel } from '../inference/sessions.js';
import { createNetworkCounterReader } from './network-counter-reader.js';
import { createPrintedReader } from './printed/printed-reader.js';
import { createMeterReader, type MeterReader } from './read-meter.js';
import { loadReaderRules } from './reader-rules.js';

/**
 * The task `readMeter` with the networks that the manifest serves. Throws an Error for files that
 * are missing or wrong.
 *
 * @param manifestUrl address of the manifest; the models and their rules lie below its folder
 * @param now clock that times the networks, milliseconds
 */
export async function openMeterReader(
  manifest: Manifest,
  manifestUrl: URL,
  now?: () => number,
): Promise<MeterReader> {
  const open = (task: string) =>
    openModel(modelFor(manifest, task), manifestUrl, { memory: 'given-back' });
  const [locate, refine, read, rules] = await Promise.all([
    open('meter-locate'),
    open('meter-refine'),
    open('meter'),
    loadReaderRules(manifest, manifestUrl),
  ]);
  return createMeterReader(
    createNetworkCounterReader({ locate, refine, read }, rules, now),
    createPrintedReader(),
  );
}
