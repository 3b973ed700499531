import { z } from 'zod';
import { countProcessors } from '../runtime/count-processors.js';
import {
  file,
  logLevel,
  metricsHost,
  metricsPort,
  port,
  proxyList,
  readSettings,
  share,
  wholeNumber,
} from '../runtime/settings.js';

/** Everything the core can be told from outside. */
export type CoreConfig = z.infer<typeof settings>;

/** The settings, their defaults and what they mean; docs/configuration.md is made of them. */
export const settings = z.object({
  CORE_HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  CORE_PORT: port.default(50_051).describe('gRPC port; 0 takes a free one.'),
  CORE_ADMIN_PORT: port.default(50_052).describe('Port of AdminService; 0 takes a free one.'),
  CORE_ADMIN_KEY: z
    .string()
    .min(16, 'want at least 16 characters')
    .optional()
    .describe('Key of AdminService, at least 16 characters; unset: AdminService is off.')
    .meta({ secret: true }),
  CORE_DATA_DIR: z.string().default('./data').describe('Folder of the SQLite file.'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'want an address that begins with postgres://')
    .optional()
    .describe('PostgreSQL to use in place of the SQLite file.')
    .meta({ secret: true }),
  CORE_WORKERS: wholeNumber(1, 256).default(countProcessors()).describe('Inference workers.'),
  CORE_MAX_QUEUE: wholeNumber(0, 10_000)
    .default(64)
    .describe(
      'Requests that may wait for a worker, and passwords that may wait to be checked; at most four fifths of either with one API key; more are refused with `QUEUE_FULL`.',
    ),
  CORE_FACE_MODEL: z
    .string()
    .optional()
    .describe('Face model of `models/manifest.json`; `yunet-n` after `make models`.'),
  CORE_DEFAULT_SCORE: share.optional().describe('Default detection score.'),
  CORE_METER_CHECK_BELOW: share
    .optional()
    .describe('Readings less sure than this have the status `check`.'),
  CORE_MAX_IMAGE_BYTES: wholeNumber(1, 100 * 2 ** 20)
    .default(10 * 2 ** 20)
    .describe('Bytes of a picture file.'),
  CORE_MAX_IMAGE_PIXELS: wholeNumber(1, 500_000_000)
    .default(50_000_000)
    .describe('Pixels of a picture.'),
  CORE_MAX_IMAGE_SIDE: wholeNumber(1, 65_500).default(16_384).describe('Longer side, in pixels.'),
  CORE_MAX_DEADLINE_MS: wholeNumber(1, 600_000)
    .default(30_000)
    .describe('No request may take longer, whatever its own deadline.'),
  CORE_STREAM_IDLE_MS: wholeNumber(1, 3_600_000)
    .default(300_000)
    .describe('A bulk stream that is idle for so long is ended.'),
  CORE_RATE_LIMIT_PER_MINUTE: wholeNumber(0, 10_000_000)
    .default(0)
    .describe(
      'Requests a minute that one API key may send, those of bulk streams each; 0: no limit.',
    ),
  CORE_TRUSTED_PROXIES: proxyList
    .default('127.0.0.0/8, ::1')
    .describe(
      'Facades whose `x-forwarded-for` is believed when password guessing is slowed down, and whose connections are not limited.',
    ),
  CORE_TLS_CERT: file.describe(
    'PEM file of the certificate chain of both gRPC ports; unset: no TLS.',
  ),
  CORE_TLS_KEY: file.describe('PEM file of its private key.'),
  CORE_TLS_CLIENT_CA: file.describe(
    'PEM file of the authority whose clients are let in (mutual TLS); unset: no client certificate is asked for.',
  ),
  CORE_METRICS_PORT: metricsPort,
  CORE_METRICS_HOST: metricsHost,
  CORE_SHUTDOWN_GRACE_MS: wholeNumber(0, 600_000)
    .default(10_000)
    .describe('Time for running calls to end after SIGTERM.'),
  CORE_LOG_LEVEL: logLevel,
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
 * @throws ConfigError naming every mistake, one a line.
 */
export function createConfig(
  environment: Readonly<Record<string, string | undefined>>,
): CoreConfig {
  return readSettings(settings, companions, environment);
}
