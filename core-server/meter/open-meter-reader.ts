import { type Manifest, modelFor } from '../inference/manifest.js';
import { type Model, openModel } from '../inference/sessions.js';
import type { CounterReader } from './counter-reading.js';
import { createNetworkCounterReader } from './network-counter-reader.js';
import { createOcrCounterReader } from './ocr-counter-reader.js';
import { createMeterReader, type MeterReader } from './read-meter.js';
import { loadReaderRules, rulesFile } from './reader-rules.js';

export interface OpenMeterReaderOptions {
  readonly manifest: Manifest;
  /** Address of the manifest; the models and their rules lie below its folder. */
  readonly manifestUrl: URL;
  /** Whether general text recognition is tried where our networks find no counter. */
  readonly ocrFallback: boolean;
}

/**
 * The task `readMeter` with the networks that the manifest serves. Where it serves none, general
 * text recognition reads alone. Throws an Error for files that are missing or wrong.
 */
export async function openMeterReader(options: OpenMeterReaderOptions): Promise<MeterReader> {
  const { manifest, ocrFallback } = options;
  const networks = manifest.serve['meter'] === undefined ? [] : [await openNetworks(options)];
  const ocr = networks.length === 0 || ocrFallback ? [createOcrCounterReader()] : [];
  return createMeterReader([...networks, ...ocr]);
}

async function openNetworks({
  manifest,
  manifestUrl,
}: OpenMeterReaderOptions): Promise<CounterReader> {
  const open = (task: string): Promise<Model> => openModel(modelFor(manifest, task), manifestUrl);
  const [locate, refine, read, rules] = await Promise.all([
    open('meter-locate'),
    open('meter-refine'),
    open('meter'),
    loadReaderRules(new URL(rulesFile, manifestUrl)),
  ]);
  return createNetworkCounterReader({ locate, refine, read }, rules);
}
