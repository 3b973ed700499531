import { type ChannelCredentials, type ChannelOptions, credentials as grpcCredentials, Metadata } from '@grpc/grpc-js';
import {
  type DeepPartial,
  DetectAllFacesRequest,
  type DetectAllFacesResponse,
  DetectSingleFaceRequest,
  type DetectSingleFaceResponse,
  FaceDetectionServiceClient,
  RedactFacesRequest,
  type RedactFacesResponse,
  StreamDetectFacesRequest,
  type StreamDetectFacesResponse,
  StreamRedactFacesRequest,
  type StreamRedactFacesResponse,
} from '../../generated/imageanalysis/v1/face_detection.js';
import {
  FuseMeterReadingsRequest,
  type FuseMeterReadingsResponse,
  MeterReadingServiceClient,
  ReadMeterRequest,
  type ReadMeterResponse,
  StreamReadMetersRequest,
  type StreamReadMetersResponse,
} from '../../generated/imageanalysis/v1/meter_reading.js';
import {
  GetDetectionScoreRequest,
  type GetDetectionScoreResponse,
  ScoreConfigServiceClient,
  SetDetectionScoreRequest,
  type SetDetectionScoreResponse,
} from '../../generated/imageanalysis/v1/score_config.js';
import {
  GetVersionRequest,
  type GetVersionResponse,
  VersionServiceClient,
} from '../../generated/imageanalysis/v1/version.js';
import { keepalive, maxMessageBytes } from '../../runtime/net/grpc-channel.js';
import { boundedStream, type StreamOptions } from './bounded-stream.js';
import type { RetryOptions } from './retry.js';
import type { CallOptions } from './time-limit.js';
import { trimKey } from './trim-key.js';
import { createUnaryCalls } from './unary-calls.js';

export { type ApiKey, type Company, Operation } from '../../generated/imageanalysis/v1/admin.js';
export {
  type DetectAllFacesResponse,
  type DetectSingleFaceResponse,
  type Face,
  type RedactFacesResponse,
  type StreamDetectFacesResponse,
  type StreamRedactFacesResponse,
  ThresholdSource,
} from '../../generated/imageanalysis/v1/face_detection.js';
export type { BoundingBox } from '../../generated/imageanalysis/v1/geometry.js';
export {
  type FuseMeterReadingsResponse,
  type MeterDigit,
  type PhotoReading,
  ReadingStatus,
  ReadingWarning,
  type ReadMeterResponse,
  type StreamReadMetersResponse,
} from '../../generated/imageanalysis/v1/meter_reading.js';
export type { GetVersionResponse } from '../../generated/imageanalysis/v1/version.js';
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

type Requests<T> = Iterable<DeepPartial<T>> | AsyncIterable<DeepPartial<T>>;

/**
 * The calls of the service over gRPC, for Node.js. Calls reject with a RefusedError, or with
 * `signal.reason` once aborted.
 */
export interface ImageAnalysisClient {
  /** Finds the largest face; NO_FACE if there is none. */
  detectSingleFace(
    request: DeepPartial<DetectSingleFaceRequest>,
    options?: CallOptions,
  ): Promise<DetectSingleFaceResponse>;
  /** Finds all faces, largest first. */
  detectAllFaces(request: DeepPartial<DetectAllFacesRequest>, options?: CallOptions): Promise<DetectAllFacesResponse>;
  /** Hides all faces, and returns the picture without metadata. */
  redactFaces(request: DeepPartial<RedactFacesRequest>, options?: CallOptions): Promise<RedactFacesResponse>;
  /** Reads a water meter; NO_READING if there is no readable counter. */
  readMeter(request: DeepPartial<ReadMeterRequest>, options?: CallOptions): Promise<ReadMeterResponse>;
  /** Reads up to 8 photos of one meter as one; NO_READING if none has a readable counter. */
  fuseMeterReadings(
    request: DeepPartial<FuseMeterReadingsRequest>,
    options?: CallOptions,
  ): Promise<FuseMeterReadingsResponse>;
  /** Returns a company's default threshold. */
  getDetectionScore(
    request: DeepPartial<GetDetectionScoreRequest>,
    options?: CallOptions,
  ): Promise<GetDetectionScoreResponse>;
  /** Sets a company's default threshold. */
  setDetectionScore(
    request: DeepPartial<SetDetectionScoreRequest>,
    options?: CallOptions,
  ): Promise<SetDetectionScoreResponse>;
  /** Says which versions of the service and of its models are running. */
  getVersion(options?: CallOptions): Promise<GetVersionResponse>;
  /**
   * Finds the faces in many pictures; responses arrive in any order. Requests are taken only as fast as the
   * service accepts pictures and the responses are read; leaving the loop ends the call.
   */
  streamDetectFaces(
    requests: Requests<StreamDetectFacesRequest>,
    options?: StreamOptions,
  ): AsyncGenerator<StreamDetectFacesResponse>;
  /** Hides the faces in many pictures; otherwise like `streamDetectFaces`. */
  streamRedactFaces(
    requests: Requests<StreamRedactFacesRequest>,
    options?: StreamOptions,
  ): AsyncGenerator<StreamRedactFacesResponse>;
  /** Reads many meters; otherwise like `streamDetectFaces`. */
  streamReadMeters(
    requests: Requests<StreamReadMetersRequest>,
    options?: StreamOptions,
  ): AsyncGenerator<StreamReadMetersResponse>;
  /** Closes the connection. */
  close(): void;
}

export function createClient(options: ClientOptions): ImageAnalysisClient {
  const { address, apiKey, timeoutMs = 30_000, retries, maxDelayMs } = options;
  const credentials = options.credentials ?? grpcCredentials.createInsecure();
  const channelOptions = {
    'grpc.max_receive_message_length': maxMessageBytes,
    ...keepalive,
    ...options.channelOptions,
  };
  const faces = new FaceDetectionServiceClient(address, credentials, channelOptions);
  const meters = new MeterReadingServiceClient(address, credentials, channelOptions);
  const scores = new ScoreConfigServiceClient(address, credentials, channelOptions);
  const versions = new VersionServiceClient(address, credentials, channelOptions);
  const metadata = new Metadata();
  metadata.set('apikey', trimKey('apiKey', apiKey));

  const call = createUnaryCalls({ metadata, timeoutMs, retry: { retries, maxDelayMs } });

  return {
    detectSingleFace: (request, callOptions) =>
      call(faces.detectSingleFace.bind(faces), DetectSingleFaceRequest.fromPartial(request), callOptions),
    detectAllFaces: (request, callOptions) =>
      call(faces.detectAllFaces.bind(faces), DetectAllFacesRequest.fromPartial(request), callOptions),
    redactFaces: (request, callOptions) =>
      call(faces.redactFaces.bind(faces), RedactFacesRequest.fromPartial(request), callOptions),
    readMeter: (request, callOptions) =>
      call(meters.readMeter.bind(meters), ReadMeterRequest.fromPartial(request), callOptions),
    fuseMeterReadings: (request, callOptions) =>
      call(meters.fuseMeterReadings.bind(meters), FuseMeterReadingsRequest.fromPartial(request), callOptions),
    getDetectionScore: (request, callOptions) =>
      call(scores.getDetectionScore.bind(scores), GetDetectionScoreRequest.fromPartial(request), callOptions),
    setDetectionScore: (request, callOptions) =>
      call(scores.setDetectionScore.bind(scores), SetDetectionScoreRequest.fromPartial(request), callOptions),
    getVersion: (callOptions) =>
      call(versions.getVersion.bind(versions), GetVersionRequest.fromPartial({}), callOptions),
    streamDetectFaces: (requests, options) =>
      boundedStream(() => faces.streamDetectFaces(metadata), StreamDetectFacesRequest, requests, options),
    streamRedactFaces: (requests, options) =>
      boundedStream(() => faces.streamRedactFaces(metadata), StreamRedactFacesRequest, requests, options),
    streamReadMeters: (requests, options) =>
      boundedStream(() => meters.streamReadMeters(metadata), StreamReadMetersRequest, requests, options),
    close() {
      for (const client of [faces, meters, scores, versions]) client.close();
    },
  };
}
