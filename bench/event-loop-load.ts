import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { credentials } from '@grpc/grpc-js';
import { FaceDetectionServiceClient } from '../generated/imageanalysis/v1/face_detection.js';
import { detailsOf, metadataWithKey, unaryCall } from '../tests/helpers/net/grpc.js';

/** The callers of bench/event-loop.ts, in a thread of their own. */
export interface Load {
  readonly address: string;
  readonly apiKeys: readonly string[];
  readonly picture: string;
  readonly callers: number;
}

/** What came of the calls since the queue was full first. */
export interface LoadCounts {
  readonly answered: number;
  readonly refused: number;
}

/** A refused caller comes again after this. */
const comeAgainMs = 20;

const { address, apiKeys, picture, callers } = workerData as Load;
const client = new FaceDetectionServiceClient(address, credentials.createInsecure());
const image = await readFile(picture);
const request = { image, company: '', crop: true, landmarks: false, details: false };
let [answered, refused] = [0, 0];
let isFull = false;
let isOver = false;

const call = async (apiKey: string): Promise<void> => {
  while (!isOver) {
    try {
      await unaryCall((done) => client.detectAllFaces(request, metadataWithKey(apiKey), done));
      if (isFull) answered += 1;
    } catch (error) {
      if (detailsOf(error).reason !== 'QUEUE_FULL') throw error;
      if (!isFull) parentPort?.postMessage('full');
      isFull = true;
      refused += 1;
      await sleep(comeAgainMs);
    }
  }
};

parentPort?.once('message', () => {
  isOver = true;
  parentPort?.postMessage({ answered, refused } satisfies LoadCounts);
});
await Promise.all(Array.from({ length: callers }, (_, index) => call(apiKeys[index % apiKeys.length] ?? '')));
client.close();
