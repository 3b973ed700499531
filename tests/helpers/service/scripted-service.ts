import type { TestContext } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import {
  MeterReadingServiceClient,
  type ReadMeterResponse,
} from '../../../generated/imageanalysis/v1/meter_reading.js';
import { collectLog, type LogEntry } from '../collect-log.js';
import { eventually } from '../eventually.js';
import { createForm } from '../net/form.js';
import { detailsOf, metadataWithKey, unaryCall } from '../net/grpc.js';
import { openStage, scriptedWorkerUrl } from '../pictures/scripted-pictures.js';
import { startService, type TestService } from './service.js';

/** The service with workers that do what the pictures tell. */
export async function startScripted(t: Pick<TestContext, 'after'>, environment: Record<string, string> = {}) {
  const stage = openStage(t);
  const log = collectLog();
  const service = await startService(t, environment, log.log, scriptedWorkerUrl);
  /** Resolves when the core has received so many calls, which stand in its queue then. */
  const received = async (count: number) => {
    const isReceived = ({ msg, method }: LogEntry) =>
      msg === 'call received' && !String(method).includes('AdminService');
    await eventually(() => log.entries.filter(isReceived).length >= count, 60_000);
  };
  return { stage, service, log, received };
}

/** Over gRPC; cancelled when the signal is aborted. */
export function readMeter(
  service: TestService,
  image: Buffer,
  options: { apiKey?: string; signal?: AbortSignal; onBegun?: () => void } = {},
): Promise<ReadMeterResponse> {
  const { apiKey = service.apiKey, signal, onBegun } = options;
  const client = new MeterReadingServiceClient(service.grpc, credentials.createInsecure());
  const answer = unaryCall<ReadMeterResponse>((done) => {
    const call = client.readMeter({ image }, metadataWithKey(apiKey), done);
    signal?.addEventListener('abort', () => call.cancel());
    if (onBegun) call.on('metadata', onBegun);
    return call;
  });
  return answer.finally(() => client.close());
}

/** Over REST; broken off when the signal is aborted. */
export async function detect(service: TestService, picture: Buffer, signal?: AbortSignal) {
  const answer = await fetch(`${service.rest}/face_detect_single`, {
    method: 'POST',
    body: createForm(picture),
    headers: { apikey: service.apiKey },
    ...(signal && { signal }),
  });
  const body = (await answer.json()) as { reason?: string; detection_score?: string };
  return { status: answer.status, ...body };
}

/** Why a gRPC call was refused; `answered` where it was not. */
export const reasonOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: unknown) => detailsOf(error).reason,
  );
