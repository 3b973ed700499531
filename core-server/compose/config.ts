import * as z from 'zod';
import { proxyList } from '../../runtime/net/addresses.js';
import { countProcessors } from '../../runtime/process/count-processors.js';
import {
  file,
  flag,
  host,
  logLevel,
  metricsHost,
  metricsPort,
  port,
  readSettings,
  share,
  wholeNumber,
} from '../../runtime/settings/read-settings.js';
import { isPostgresUrl, postgresUrlWish } from '../store/postgres/postgres-url.js';

export type CoreConfig = z.infer<typeof settings>;

const adminKeyRule = 'at least 16 printable ASCII characters, without leading or trailing blanks';
const loopback = '127.0.0.0/8, ::1';

/** The settings, their defaults and what they mean; docs/configuration.md is generated from them. */
export const settings = z.object({
  CORE_HOST: host.describe('Address to listen on.'),
  CORE_PORT: port.default(50_051).describe('gRPC port; 0 picks a free port.'),
  CORE_ADMIN_PORT: port.default(50_052).describe('Port of AdminService; 0 picks a free port.'),
  CORE_ADMIN_HOST: host.describe('Address that the port of AdminService listens on.'),
  CORE_ADMIN_KEY: z
    .string()
    // Only what gRPC metadata can carry: no caller could send anything else.
    .regex(/^[!-~][ -~]{14,}[!-~]$/, `want ${adminKeyRule}`)
    .optional()
    .describe(`Key for AdminService, ${adminKeyRule}; AdminService is off when unset.`)
    .meta({ secret: true }),
  CORE_DATA_DIR: z
    .string()
    .regex(/^\S(.*\S)?$/s, 'want a path without leading or trailing blanks')
    .default('./data')
    .describe('Directory of the SQLite file.'),
  DATABASE_URL: z
    .string()
    .refine(isPostgresUrl, postgresUrlWish)
    .optional()
    .describe('URL of a PostgreSQL database to use instead of the SQLite file.')
    .meta({ secret: true }),
  CORE_WORKERS: wholeNumber(1, 256)
    .default(countProcessors())
    .describe('Number of inference workers.')
    .meta({ shownDefault: 'one per CPU core' }),
  UV_THREADPOOL_SIZE: wholeNumber(1, 10_000)
    .default(4)
    .describe(
      'Threads that read and decode pictures, read the SQLite file and check passwords: twice the CPU cores, which `make run` sets, or more. See [Processes](operating.md#processes).',
    ),
  CORE_MAX_QUEUE: wholeNumber(0, 10_000)
    .default(64)
    .describe(
      'Maximum number of requests waiting for a worker, and of passwords waiting to be checked. One API key may take four fifths of either; anything beyond is refused with `QUEUE_FULL`.',
    ),
  CORE_DEFAULT_SCORE: share
    .optional()
    .describe('Default detection score; for redactions, where it is lower.')
    .meta({ shownDefault: 'calibrated' }),
  CORE_METER_CHECK_BELOW: share
    .optional()
    .describe('Readings with a lower confidence get the status `check`.')
    .meta({ shownDefault: 'calibrated' }),
  CORE_MAX_IMAGE_BYTES: wholeNumber(1, 100 * 2 ** 20)
    .default(10 * 2 ** 20)
    .describe('Maximum size of a picture file, in bytes. Facades have a limit of their own, `REST_MAX_IMAGE_BYTES`.'),
  CORE_MAX_IMAGE_PIXELS: wholeNumber(1, 500_000_000)
    .default(50_000_000)
    .describe('Maximum number of pixels in a picture.'),
  CORE_MAX_IMAGE_SIDE: wholeNumber(1, 65_500).default(16_384).describe('Maximum length of the longer side, in pixels.'),
  CORE_HEIC: flag
    .refine((isOn) => !isOn || isHeicInstalled(), 'want it unset, or the package libheif-js installed')
    .describe(
      'Whether HEIC, the format of iPhones, is decoded. Needs the package `libheif-js`: see [HEIC](operating.md#heic).',
    ),
  CORE_MAX_DEADLINE_MS: wholeNumber(1, 600_000)
    .default(30_000)
    .describe('Maximum time for any request, whatever its own deadline.'),
  CORE_STREAM_IDLE_MS: wholeNumber(1, 3_600_000)
    .default(300_000)
    .describe('A bulk stream that is idle for this long is closed.'),
  CORE_RATE_LIMIT_PER_MINUTE: wholeNumber(0, 10_000_000)
    .default(0)
    .describe(
      'Requests per minute for one API key to this core, counting each request in a bulk stream; 0 means no limit.',
    ),
  CORE_TRUSTED_PROXIES: proxyList
    .prefault(loopback)
    .describe(
      'Facades whose `x-forwarded-for` is trusted, in the log and when password guessing is throttled, and whose connections are not limited.',
    )
    .meta({ shownDefault: loopback }),
  CORE_TLS_CERT: file
    .describe('PEM file with the certificate chain for both gRPC ports; no TLS when unset.')
    .meta({ needs: ['CORE_TLS_KEY'] }),
  CORE_TLS_KEY: file.describe('PEM file with its private key.').meta({ needs: ['CORE_TLS_CERT'] }),
  CORE_TLS_CLIENT_CA: file
    .describe(
      'PEM file with the CA that client certificates must be signed by (mutual TLS); no client certificate is requested when unset.',
    )
    .meta({ needs: ['CORE_TLS_CERT'] }),
  CORE_METRICS_PORT: metricsPort,
  CORE_METRICS_HOST: metricsHost,
  CORE_SHUTDOWN_GRACE_MS: wholeNumber(0, 600_000)
    .default(10_000)
    .describe('Time that calls in flight get to finish after SIGTERM.'),
  CORE_LOG_LEVEL: logLevel,
});

/** By name alone: this module is read by commands that decode no picture. */
function isHeicInstalled(): boolean {
  try {
    import.meta.resolve('libheif-js/wasm-bundle');
    return true;
  } catch {
    return false;
  }
}

/** @throws ConfigError naming every mistake, one per line */
export function createConfig(environment: Readonly<Record<string, string | undefined>>): CoreConfig {
  return readSettings(settings, environment);
}
