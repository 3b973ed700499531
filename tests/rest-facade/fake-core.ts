import type { TestContext } from 'node:test';
import {
  type Client,
  Metadata,
  type sendUnaryData,
  Server,
  type ServerUnaryCall,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { Status } from '../../generated/google/rpc/status.js';
import { AdminServiceService } from '../../generated/imageanalysis/v1/admin.js';
import { FaceDetectionServiceService } from '../../generated/imageanalysis/v1/face_detection.js';
import { MeterReadingServiceService } from '../../generated/imageanalysis/v1/meter_reading.js';
import { GetDetectionScoreRequest, ScoreConfigServiceService } from '../../generated/imageanalysis/v1/score_config.js';
import { VersionServiceService } from '../../generated/imageanalysis/v1/version.js';
import { Refusal } from '../../runtime/errors/refusal.js';
import { toRpcStatus } from '../../runtime/errors/rpc-status.js';
import { bindServer, unaryCall } from '../helpers/net/grpc.js';

/** A call as the fake core received it. */
export interface ReceivedCall {
  readonly rpc: string;
  readonly request: Record<string, unknown>;
  readonly metadata: Metadata;
  readonly deadlineMs: number;
  /** Says, as the core does, that a worker has the picture. */
  readonly begin: () => void;
  /** Resolves when the caller cancels. */
  readonly cancelled: Promise<void>;
}

/** Answers a call: a response message, or a thrown CoreRefusal. */
export type Script = (call: ReceivedCall) => object | Promise<object>;

/** A refusal as the core sends them. */
export class CoreRefusal extends Error {
  constructor(
    readonly code: status,
    readonly reason: string | undefined,
    message: string,
    readonly details: Record<string, string> = {},
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

export interface FakeCore {
  readonly port: number;
  readonly calls: ReceivedCall[];
  readonly health: HealthImplementation;
  /** Ends at once, connections too. */
  readonly kill: () => void;
  /** Takes no more calls, and ends when those under way are answered. */
  readonly leave: () => Promise<void>;
}

/** Starts a scripted core over real gRPC; ended with the test. */
export async function startFakeCore(
  t: Pick<TestContext, 'after'>,
  script: Script,
  port = 0,
  host = '127.0.0.1',
): Promise<FakeCore> {
  const calls: ReceivedCall[] = [];
  const server = new Server({ 'grpc.max_receive_message_length': 64 * 1024 * 1024 });
  const health = new HealthImplementation({ '': 'SERVING' });
  health.addToServer(server);
  for (const service of [
    AdminServiceService,
    FaceDetectionServiceService,
    ScoreConfigServiceService,
    MeterReadingServiceService,
    VersionServiceService,
  ])
    addService(server, service, script, calls);
  const bound = await bindServer(t, server, { address: `${host}:${port}` });
  return {
    port: bound,
    calls,
    health,
    kill: () => server.forceShutdown(),
    leave: () => new Promise((resolve) => server.tryShutdown(() => resolve())),
  };
}

function addService(server: Server, service: ServiceDefinition, script: Script, calls: ReceivedCall[]): void {
  const handle =
    (rpc: string) => (grpcCall: ServerUnaryCall<Record<string, unknown>, object>, done: sendUnaryData<object>) => {
      const call: ReceivedCall = {
        rpc,
        request: grpcCall.request,
        metadata: grpcCall.metadata,
        deadlineMs: Number(grpcCall.getDeadline()),
        begin: () => grpcCall.sendMetadata(new Metadata()),
        cancelled: new Promise((resolve) => grpcCall.once('cancelled', () => resolve())),
      };
      calls.push(call);
      Promise.resolve()
        .then(() => script(call))
        .then(
          (answer) => done(null, answer),
          (error: unknown) => done(toStatusObject(error as CoreRefusal)),
        );
    };
  const handlers = Object.entries(service)
    .filter(([, method]) => !method.requestStream)
    .map(([name, method]) => [name, handle(method.path.split('/')[2] ?? '')]);
  server.addService(service, Object.fromEntries(handlers) as Parameters<typeof server.addService>[1]);
}

/** Calls it by a client of grpc-js. */
export function callFakeCore(client: Client): Promise<object | undefined> {
  const { path, requestSerialize, responseDeserialize } = ScoreConfigServiceService.getDetectionScore;
  const request = GetDetectionScoreRequest.create();
  return unaryCall((done) => client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, done));
}

export function toStatusObject({ code, reason, message, details, retryAfterSeconds }: CoreRefusal) {
  const metadata = new Metadata();
  if (reason !== undefined) {
    const sent = toRpcStatus(new Refusal(code, reason, message, { details, retryAfterSeconds }));
    metadata.set('grpc-status-details-bin', Buffer.from(Status.encode(sent).finish()));
  }
  return { code: code ?? status.INTERNAL, details: message, metadata };
}
