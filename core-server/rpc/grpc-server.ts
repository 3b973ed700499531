import { setMaxListeners } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import {
  Server,
  type ServerCredentials,
  type ServerInterceptor,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import type { Logger } from 'pino';
import { createFairBudget } from '../../runtime/limits/fair-budget.js';
import { limitConnections, openConnections } from '../../runtime/limits/limit-connections.js';
import { formatAddress, type IsTrustedProxy } from '../../runtime/net/addresses.js';
import { keepalive, maxMessageBytes } from '../../runtime/net/grpc-channel.js';
import { beginInTurns } from './grpc-js-patches/begin-in-turns.js';
import { forgetUnwatched } from './grpc-js-patches/forget-unwatched.js';
import { guardStreams } from './grpc-js-patches/guard-streams.js';
import { limitStrangers, maxCallsOfStrangers } from './grpc-js-patches/limit-strangers.js';
import { callWindowBytes, http2ServersOf, widenFlowControl } from './grpc-js-patches/server-options.js';
import { markUndecodable } from './grpc-js-patches/undecodable.js';
import { admitCalls, type KeyCheck } from './interceptors/admit-calls.js';
import { answerInTurns } from './interceptors/answer-in-turns.js';
import { limitOpenCalls } from './interceptors/limit-open-calls.js';
import { createReflection } from './reflection.js';
import { nameOf } from './service-paths.js';

export interface Service {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** What all ports have in common, and the calls to them. */
export interface RpcSettings {
  /** The calls that a connection may have open once one has shown a valid key; before, few (`limitStrangers`). */
  readonly maxCallsPerConnection: number;
  /** Sees every call, before all other interceptors. */
  readonly observer: ServerInterceptor;
  readonly credentials: ServerCredentials;
  readonly log: Logger;
  /** Whose `x-forwarded-for` is trusted: the REST facade calls on behalf of its HTTP clients. */
  readonly isTrustedProxy: IsTrustedProxy;
  /** Maximum time for a unary call or a single request of a stream, whatever its deadline. */
  readonly maxDeadlineMs: number;
  /** Requests of one stream processed at the same time; beyond that, the caller is paused. */
  readonly maxInFlight: number;
  /** A stream that has neither sent a request nor had one in progress for this long is closed. */
  readonly idleMs: number;
  /**
   * Aborted when the process is about to stop: health says NOT_SERVING, streams finish their requests in progress and
   * end, and calls that never end by themselves are ended.
   */
  readonly closing: AbortSignal;
}

interface GrpcServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly services: readonly Service[];
  readonly checkKey: KeyCheck;
  /** Bytes of the largest picture; a request message may be a little larger. */
  readonly maxPictureBytes: number;
}

/** Room for the other fields of a request, and for pictures slightly over their limit to get a proper refusal. */
const messageOverheadBytes = 64 * 2 ** 10;
/** One address gets four fifths: as much as a facade holds of its clients' pictures by default. */
const minMessageBytes = 320 * 2 ** 20;
/** One address gets four fifths: three of the largest responses, or a dozen of a thousand crops. */
const unreadBytes = 256 * 2 ** 20;
/** In addition to the longest time that a response may take. */
const takeAnswerMs = 5_000;
/** For callers to be told that the server has ended their calls, before it ends their connections. */
const takeRefusalMs = 200;

/**
 * Serves on one port, with the health service (one status for each service and one for the whole) and reflection.
 *
 * @throws Error when the port cannot be had.
 */
export async function startGrpcServer(settings: RpcSettings, options: GrpcServerOptions) {
  const { maxDeadlineMs, isTrustedProxy, closing, log } = settings;
  const { services } = options;
  const largestMessageBytes = options.maxPictureBytes + messageOverheadBytes;
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // each call listens
  const server = new Server({
    interceptors: [
      settings.observer,
      admitCalls(options.checkKey, settings),
      limitOpenCalls(closing, ending.signal),
      answerInTurns(),
    ],
    'grpc.max_receive_message_length': largestMessageBytes,
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.max_concurrent_streams': maxCallsOfStrangers,
    // Detects connections whose other side is gone or never spoke HTTP/2.
    ...keepalive,
    // channelz is not served, so do not collect its statistics.
    'grpc.enable_channelz': 0,
  });
  const serviceNames = services.map((service) => nameOf(service));
  for (const { definition, implementation } of services) {
    server.addService(markUndecodable(definition), implementation);
  }
  const health = new HealthImplementation();
  forgetUnwatched(health);
  health.addToServer(server);
  createReflection(serviceNames).addToServer(server);

  const address = formatAddress(options);
  const port = await promisify(server.bindAsync.bind(server))(address, settings.credentials).catch((cause: unknown) => {
    throw new Error(`cannot listen on ${address}`, { cause });
  });
  // Those in progress, one read ahead, one that is being read, and what arrives meanwhile.
  const streamBytes = (settings.maxInFlight + 2) * largestMessageBytes + callWindowBytes;
  const messageBytes = Math.max(minMessageBytes, 2 * streamBytes);
  const limits = {
    maxMessageBytes: largestMessageBytes,
    messageBytes: createFairBudget(messageBytes),
    messageBytesOfKeys: createFairBudget(messageBytes),
    unreadBytes: createFairBudget(unreadBytes),
    takeAnswerMs: maxDeadlineMs + takeAnswerMs,
  };
  // One for each address of the host.
  const http2Servers = http2ServersOf(server);
  for (const http2Server of http2Servers) {
    widenFlowControl(http2Server);
    limitStrangers(http2Server, isTrustedProxy, settings.maxCallsPerConnection);
    // Streams are guarded as they arrive, and then wait for their turn: the guard puts itself before what is there.
    beginInTurns(http2Server);
    guardStreams(http2Server, limits);
    limitConnections(http2Server, { isExempt: isTrustedProxy, log });
    // A caller whose certificate is refused learns only that the connection ended.
    http2Server.on('tlsClientError', ({ code }: NodeJS.ErrnoException, { authorizationError }: TLSSocket) =>
      log.debug({ problem: authorizationError ?? code }, 'TLS handshake failed'),
    );
  }
  const connections = http2Servers.map(openConnections);
  const setServing = (isServing: boolean): void => {
    const status = isServing && !closing.aborted ? 'SERVING' : 'NOT_SERVING';
    for (const name of ['', ...serviceNames]) health.setStatus(name, status);
  };
  setServing(true);
  // Before any call listens to it: health watches are notified before they end.
  closing.addEventListener('abort', () => setServing(false), { once: true });

  return {
    port,
    /** Tells the health service whether calls can be answered; initially SERVING, and not any more once it closes. */
    setServing,
    /** Once `closing` is aborted, lets calls in flight run for the grace period, and ends the others. */
    async close(graceMs: number): Promise<void> {
      // Not server.forceShutdown(): without channelz, grpc-js keeps no list of what to end.
      const force = () => {
        for (const open of connections) for (const connection of open) connection.destroy();
      };
      let timer = setTimeout(() => {
        ending.abort();
        timer = setTimeout(force, takeRefusalMs);
      }, graceMs);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(timer);
    },
  };
}
