import { type ChannelCredentials, type ChannelOptions, Metadata } from '@grpc/grpc-js';
import * as faces from '../../generated/imageanalysis/v1/face_detection.js';
import * as meters from '../../generated/imageanalysis/v1/meter_reading.js';
import * as scores from '../../generated/imageanalysis/v1/score_config.js';
import * as versions from '../../generated/imageanalysis/v1/version.js';
import { type Calls, createCalls } from './grpc-calls.js';
import { openClient } from './open-client.js';
import type { RetryOptions } from './retry.js';
import type { CallOptions } from './time-limit.js';
import { trimKey } from './trim-key.js';

export type * from '../../generated/imageanalysis/v1/admin.js';
export { Operation } from '../../generated/imageanalysis/v1/admin.js';
export type * from '../../generated/imageanalysis/v1/face_detection.js';
export {
  type DeepPartial,
  // These too are in every file, and so ambiguous unless named.
  type MessageFns,
  type protobufFileName,
  type protobufPackage,
  ThresholdSource,
} from '../../generated/imageanalysis/v1/face_detection.js';
export type * from '../../generated/imageanalysis/v1/geometry.js';
export type * from '../../generated/imageanalysis/v1/meter_reading.js';
export { ReadingStatus, ReadingWarning } from '../../generated/imageanalysis/v1/meter_reading.js';
export type * from '../../generated/imageanalysis/v1/model.js';
export type * from '../../generated/imageanalysis/v1/score_config.js';
export type * from '../../generated/imageanalysis/v1/version.js';
export { type AdminClient, type AdminClientOptions, createAdminClient } from './admin-client.js';
export { fromStatus } from './grpc-refusal.js';
export { type Reason, type Refusal, RefusedError } from './refused-error.js';
export type { CallOptions } from './time-limit.js';

/** From the client's own gRPC library: credentials from another copy would be refused. */
export { credentials } from '@grpc/grpc-js';

export interface ClientOptions extends RetryOptions {
  /** `host:port` or another gRPC target. */
  readonly address: string;
  readonly apiKey: string;
  /** Milliseconds per call, unless the call sets its own; streams have no limit. 30,000 by default. */
  readonly timeoutMs?: number;
  /** For TLS; without it, the connection is plain text. */
  readonly credentials?: ChannelCredentials;
  /** Of the gRPC library, in place of the client's own, such as `grpc.keepalive_time_ms`. */
  readonly channelOptions?: ChannelOptions;
}

/**
 * The calls of the service over gRPC, for Node.js. Calls reject with a RefusedError, or with `signal.reason` once aborted.
 * Streams take requests only as fast as the service accepts pictures and the responses are read, which arrive in any
 * order; leaving the loop ends the call.
 */
export interface ImageAnalysisClient
  extends
    Calls<typeof faces.FaceDetectionServiceService>,
    Calls<typeof meters.MeterReadingServiceService>,
    Calls<typeof scores.ScoreConfigServiceService> {
  /** Says which versions of the service and of its models are running. */
  getVersion(options?: CallOptions): Promise<versions.GetVersionResponse>;
  /** Closes the connection once the calls that are sent are over; any other rejects with an Error. */
  close(): void;
}

export function createClient(options: ClientOptions): ImageAnalysisClient {
  const { address, apiKey, timeoutMs = 30_000, retries, maxDelayMs } = options;
  const client = openClient(address, options.credentials, options.channelOptions);
  const metadata = new Metadata();
  metadata.set('apikey', trimKey('apiKey', apiKey));
  const calls = createCalls(client, metadata, timeoutMs, { retries, maxDelayMs });
  const { getVersion } = calls(versions.VersionServiceService, versions);
  return {
    ...calls(faces.FaceDetectionServiceService, faces),
    ...calls(meters.MeterReadingServiceService, meters),
    ...calls(scores.ScoreConfigServiceService, scores),
    getVersion: (callOptions) => getVersion({}, callOptions),
    close: () => client.close(),
  };
}
