import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { parseTrustedProxies } from './access/trusted-proxies.js';

/** Everything the core can be told from outside. */
export type CoreConfig = z.infer<typeof settings>;

const port = z.coerce.number().int().min(0).max(65_535);
const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const unit = z.coerce.number().min(0).max(1);

const file = z.string().min(1).optional();

/** The settings, their defaults and what they mean; a test compares the README's table with them. */
export const settings = z.object({
  CORE_HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on.'),
  CORE_PORT: port.default(50_051).describe('gRPC port; 0 takes a free one.'),
  CORE_ADMIN_PORT: port.default(50_052).describe('Port of AdminService; 0 takes a free one.'),
  CORE_ADMIN_KEY: z
    .string()
    .min(16)
    .optional()
    .describe('Key of AdminService, at least 16 characters; unset: AdminService is off.'),
  CORE_DATA_DIR: z.string().min(1).default('./data').describe('Folder of the SQLite file.'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'want an address that begins with postgres://')
    .optional()
    .describe('PostgreSQL to use in place of the SQLite file.'),
  CORE_WORKERS: count(1, 256).default(availableParallelism()).describe('Inference workers.'),
  CORE_MAX_QUEUE: count(0, 10_000)
    .default(64)
    .describe(
      'Requests that may wait for a worker, at most four fifths of them with one API key; more are refused with `QUEUE_FULL`.',
    ),
  CORE_FACE_MODEL: z
    .string()
    .min(1)
    .optional()
    .describe('Face model of `models/manifest.json`; `yunet-n` after `make models`.'),
  CORE_DEFAULT_SCORE: unit.optional().describe('Default detection score.'),
  CORE_METER_CHECK_BELOW: unit
    .optional()
    .describe('Readings less sure than this have the status `check`.'),
  CORE_MAX_IMAGE_BYTES: count(1, 100 * 2 ** 20)
    .default(10 * 2 ** 20)
    .describe('Bytes of a picture file.'),
  CORE_MAX_IMAGE_PIXELS: count(1, 500_000_000).default(50_000_000).describe('Pixels of a picture.'),
  CORE_MAX_IMAGE_SIDE: count(1, 65_500).default(16_384).describe('Longer side, in pixels.'),
  CORE_MAX_DEADLINE_MS: count(1, 600_000)
    .default(30_000)
    .describe('No request may take longer, whatever its own deadline.'),
  CORE_STREAM_IDLE_MS: count(1, 3_600_000)
    .default(300_000)
    .describe('A bulk stream that is idle for so long is ended.'),
  CORE_RATE_LIMIT_PER_MINUTE: count(0, 10_000_000)
    .default(0)
    .describe('Requests a minute that one API key may send; 0: no limit.'),
  CORE_TRUSTED_PROXIES: z
    .string()
    .default('127.0.0.0/8, ::1')
    .refine(isProxyList, 'want addresses and networks such as 127.0.0.0/8, ::1')
    .describe('Facades whose `x-forwarded-for` is believed when password guessing is slowed down.'),
  CORE_TLS_CERT: file.describe(
    'PEM file of the certificate chain of both gRPC ports; unset: no TLS.',
  ),
  CORE_TLS_KEY: file.describe('PEM file of its private key.'),
  CORE_TLS_CLIENT_CA: file.describe(
    'PEM file of the authority whose clients are let in (mutual TLS); unset: no client certificate is asked for.',
  ),
  CORE_METRICS_PORT: port
    .optional()
    .describe('Port of the Prometheus metrics, at `/metrics`; unset: off, 0 takes a free one.'),
  CORE_METRICS_HOST: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address on which the metrics are; they need no key.'),
  CORE_SHUTDOWN_GRACE_MS: count(0, 600_000)
    .default(10_000)
    .describe('Time for running calls to end after SIGTERM.'),
  CORE_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least level that is logged.'),
});

/** Settings that mean nothing without another. */
const companions = [
  ['CORE_TLS_CERT', 'CORE_TLS_KEY'],
  ['CORE_TLS_KEY', 'CORE_TLS_CERT'],
  ['CORE_TLS_CLIENT_CA', 'CORE_TLS_CERT'],
] as const;

/**
 * Reads the settings from environment variables. An empty variable counts as unset.
 *
 * @throws Error naming every mistake, one a line.
 */
export function createConfig(
  environment: Readonly<Record<string, string | undefined>>,
): CoreConfig {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const result = settings.safeParse(given);
  const lines = [
    ...(result.error?.issues ?? []).map((issue) => `  ${issue.path.join('.')}: ${issue.message}`),
    ...companions
      .filter(([setting, other]) => setting in given && !(other in given))
      .map(([setting, other]) => `  ${setting}: wants ${other} beside it`),
  ];
  if (result.success && lines.length === 0) return result.data;
  throw new Error(`The configuration has mistakes:\n${lines.join('\n')}`);
}

function isProxyList(text: string): boolean {
  try {
    parseTrustedProxies(text);
    return true;
  } catch {
    return false;
  }
}
