import type { TestContext } from 'node:test';
import { credentials, ServerCredentials } from '@grpc/grpc-js';
import { type Logger, pino } from 'pino';
import type { Call } from '../../../core-server/common/call.js';
import type { Metrics } from '../../../core-server/compose/metrics.js';
import { bidi } from '../../../core-server/rpc/adapters/bidi.js';
import { unaryAll } from '../../../core-server/rpc/adapters/unary.js';
import { startGrpcServer } from '../../../core-server/rpc/grpc-server.js';
import { type AccessDependencies, checkApiKeys } from '../../../core-server/rpc/interceptors/check-keys.js';
import { observeCalls } from '../../../core-server/rpc/interceptors/observe-calls.js';
import { Operation } from '../../../generated/imageanalysis/v1/admin.js';
import {
  MeterReadingServiceClient,
  MeterReadingServiceService,
  type ReadMeterRequest,
  ReadMeterResponse,
} from '../../../generated/imageanalysis/v1/meter_reading.js';
import { proxyList } from '../../../runtime/net/addresses.js';
import { noTracing } from '../../../runtime/observe/tracing.js';
import { metadataWithKey, unaryCall } from '../../helpers/net/grpc.js';

// Calls of ReadMeter and StreamReadMeters with a handler of the test's own.

/** A handler of ReadMeter, alone or of a stream. */
export type Handler = (request: ReadMeterRequest, call: Call) => Promise<ReadMeterResponse>;

const meterReading = { definition: MeterReadingServiceService, operation: Operation.METER_READING, isQueued: true };

/** Access for every key. */
export const openAccess: AccessDependencies = {
  services: [meterReading],
  authenticate: () => Promise.resolve({ id: 'k1', operations: [] }),
  consume: () => Promise.resolve(),
  assertRoom: () => undefined,
};

/** The calls that a connection may have open. */
export const maxCallsPerConnection = 228;

/** The largest picture. */
export const maxPictureBytes = 4 * 2 ** 20;

export interface ServeOptions {
  access?: AccessDependencies;
  maxDeadlineMs?: number;
  idleMs?: number;
  maxInFlight?: number;
  trustedProxies?: string;
  log?: Logger;
  /** Aborted as the core begins to close. */
  closing?: AbortController;
  /** Told what the metrics are told. */
  callEnded?: Metrics['callEnded'];
}

/** Serves the handler on a free port as the core does, behind the same interceptors and guards; ended with the test. */
export async function serve(t: Pick<TestContext, 'after'>, handler: Handler, options: ServeOptions = {}) {
  const { callEnded = () => {}, closing = new AbortController() } = options;
  const settings = {
    maxCallsPerConnection,
    observer: observeCalls({ metrics: { callEnded }, tracing: noTracing }),
    credentials: ServerCredentials.createInsecure(),
    maxDeadlineMs: options.maxDeadlineMs ?? 5_000,
    log: options.log ?? pino({ level: 'silent' }),
    isTrustedProxy: proxyList.parse(options.trustedProxies ?? ''),
    idleMs: options.idleMs ?? 5_000,
    maxInFlight: options.maxInFlight ?? 2,
    closing: closing.signal,
  };
  const implementation = { ...unaryAll({ readMeter: handler }, settings), streamReadMeters: bidi(handler, settings) };
  const server = await startGrpcServer(settings, {
    host: '127.0.0.1',
    port: 0,
    services: [{ definition: MeterReadingServiceService, implementation }],
    checkKey: checkApiKeys(options.access ?? openAccess),
    maxPictureBytes,
  });
  t.after(() => {
    closing.abort();
    return server.close(0);
  });
  const client = new MeterReadingServiceClient(`127.0.0.1:${server.port}`, credentials.createInsecure());
  t.after(() => client.close());
  return client;
}

/** Counts what happens in one turn of the event loop, until the test ends. */
export function countByTurn(t: Pick<TestContext, 'after'>) {
  let turn = 0;
  const counts = new Map<number, number>();
  const next = (): void => {
    turn += 1;
    waiting = setImmediate(next);
  };
  let waiting = setImmediate(next);
  t.after(() => clearImmediate(waiting));
  return {
    note: () => void counts.set(turn, (counts.get(turn) ?? 0) + 1),
    /** The most of a turn. */
    most: () => Math.max(...counts.values()),
  };
}

/** Where a client's server listens: `127.0.0.1:…`. */
export const addressOf = (client: MeterReadingServiceClient) => client.getChannel().getTarget().replace(/^dns:/, '');

export const withKey = (key = 'secret') => metadataWithKey(key);

export function call(client: MeterReadingServiceClient, metadata = withKey(), timeoutMs?: number) {
  const options = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
  return unaryCall<ReadMeterResponse>((done) => client.readMeter({ image: Buffer.from('x') }, metadata, options, done));
}

export const answer = ReadMeterResponse.fromPartial({ meterNumber: '00123' });
