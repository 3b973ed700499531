import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  credentials as grpcCredentials,
  Metadata,
} from '@grpc/grpc-js';
import {
  type DeepPartial,
  DetectAllFacesRequest,
  type DetectAllFacesResponse,
  DetectSingleFaceRequest,
  type DetectSingleFaceResponse,
  FaceDetectionServiceService,
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
  MeterReadingServiceService,
  ReadMeterRequest,
  type ReadMeterResponse,
  StreamReadMetersRequest,
  type StreamReadMetersResponse,
} from '../../generated/imageanalysis/v1/meter_reading.js';
import {
  GetDetectionScoreRequest,
  type GetDetectionScoreResponse,
  ScoreConfigServiceService,
  SetDetectionScoreRequest,
  type SetDetectionScoreResponse,
} from '../../generated/imageanalysis/v1/score_config.js';
import {
  GetVersionRequest,
  type GetVersionResponse,
  VersionServiceService,
} from '../../generated/imageanalysis/v1/version.js';
import { keepalive, maxMessageBytes } from '../../runtime/net/grpc-channel.js';
import { createCalls, type Requests, type StreamOptions } from './grpc-calls.js';
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
    requests: Requests<DeepPartial<StreamDetectFacesRequest>>,
    options?: StreamOptions,
  ): AsyncGenerator<StreamDetectFacesResponse>;
  /** Hides the faces in many pictures; otherwise like `streamDetectFaces`. */
  streamRedactFaces(
    requests: Requests<DeepPartial<StreamRedactFacesRequest>>,
    options?: StreamOptions,
  ): AsyncGenerator<StreamRedactFacesResponse>;
  /** Reads many meters; otherwise like `streamDetectFaces`. */
  streamReadMeters(
    requests: Requests<DeepPartial<StreamReadMetersRequest>>,
    options?: StreamOptions,
  ): AsyncGenerator<StreamReadMetersResponse>;
  /** Closes the connection once the calls that are sent are over; any other rejects with an Error. */
  close(): void;
}

export function createClient(options: ClientOptions): ImageAnalysisClient {
  const { address, apiKey, timeoutMs = 30_000, retries, maxDelayMs } = options;
  const client = new Client(address, options.credentials ?? grpcCredentials.createInsecure(), {
    'grpc.max_receive_message_length': maxMessageBytes,
    ...keepalive,
    ...options.channelOptions,
  });
  const metadata = new Metadata();
  metadata.set('apikey', trimKey('apiKey', apiKey));
  const { unary, stream } = createCalls(client, metadata, timeoutMs, { retries, maxDelayMs });
  const getVersion = unary(VersionServiceService.getVersion, GetVersionRequest);

  return {
    detectSingleFace: unary(FaceDetectionServiceService.detectSingleFace, DetectSingleFaceRequest),
    detectAllFaces: unary(FaceDetectionServiceService.detectAllFaces, DetectAllFacesRequest),
    redactFaces: unary(FaceDetectionServiceService.redactFaces, RedactFacesRequest),
    readMeter: unary(MeterReadingServiceService.readMeter, ReadMeterRequest),
    fuseMeterReadings: unary(MeterReadingServiceService.fuseMeterReadings, FuseMeterReadingsRequest),
    getDetectionScore: unary(ScoreConfigServiceService.getDetectionScore, GetDetectionScoreRequest),
    setDetectionScore: unary(ScoreConfigServiceService.setDetectionScore, SetDetectionScoreRequest),
    getVersion: (callOptions) => getVersion({}, callOptions),
    streamDetectFaces: stream(FaceDetectionServiceService.streamDetectFaces, StreamDetectFacesRequest),
    streamRedactFaces: stream(FaceDetectionServiceService.streamRedactFaces, StreamRedactFacesRequest),
    streamReadMeters: stream(MeterReadingServiceService.streamReadMeters, StreamReadMetersRequest),
    close: () => client.close(),
  };
}
