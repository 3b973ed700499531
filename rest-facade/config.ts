import * as z from 'zod';
import { proxyList } from '../runtime/net/addresses.js';
import { maxMessageBytes } from '../runtime/net/grpc-channel.js';
import { grpcTargetWish, isGrpcTarget, isNumericTarget } from '../runtime/net/grpc-target.js';
import {
  file,
  flag,
  host,
  logLevel,
  metricsHost,
  metricsPort,
  port,
  readSettings,
  wholeNumber,
} from '../runtime/settings/read-settings.js';

const MiB = 1024 * 1024;

/** The rest of a gRPC message, without the picture, is far below 1 MiB. */
const largestImageBytes = maxMessageBytes - MiB;

export type Config = z.infer<typeof settings>;

const origins = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim()))
  .refine(
    (all) => all.join() === '*' || all.every(isOrigin),
    'want * or origins such as https://app.example, with commas between',
  );

/** As browsers send it: in lower case, without the scheme's own port. No page has one with a wildcard. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** The settings, their defaults and what they mean; docs/configuration.md is generated from them. */
export const settings = z.object({
  REST_HOST: host.describe('Address to listen on.'),
  REST_PORT: port.default(8080).describe('HTTP port; 0 picks a free port.'),
  REST_CORE_ADDRESS: z
    .string()
    .refine(isGrpcTarget, grpcTargetWish)
    .default('127.0.0.1:50051')
    .describe(
      'Address of the core. Calls are balanced across all addresses that a name resolves to, or that a list gives: `ipv4:10.0.0.1:50051,10.0.0.2:50051`.',
    ),
  REST_ADMIN_PORT: port
    .optional()
    .describe('HTTP port of the [administration](administration.md); off when unset, 0 picks a free port.'),
  REST_ADMIN_HOST: host.describe('Address that the administration port listens on.'),
  REST_CORE_ADMIN_ADDRESS: z
    .string()
    .refine(isGrpcTarget, grpcTargetWish)
    .default('127.0.0.1:50052')
    .describe("Address of the core's AdminService, for the administration port."),
  REST_TLS_CERT: file
    .describe('PEM file with the certificate chain, for both ports; no TLS when unset.')
    .meta({ needs: ['REST_TLS_KEY'] }),
  REST_TLS_KEY: file.describe('PEM file with its private key.').meta({ needs: ['REST_TLS_CERT'] }),
  REST_CORE_TLS_CA: file.describe(
    "PEM file with the CA that signed the core's certificate; no TLS to the core when unset.",
  ),
  REST_CORE_TLS_CERT: file
    .describe('PEM file with the certificate that the facade presents to the core (mutual TLS).')
    .meta({ needs: ['REST_CORE_TLS_KEY', 'REST_CORE_TLS_CA'] }),
  REST_CORE_TLS_KEY: file.describe('PEM file with its private key.').meta({ needs: ['REST_CORE_TLS_CERT'] }),
  REST_CORE_TLS_NAME: z
    .string()
    .regex(/^(?![\d.]+$)[\w.-]+$/, 'want a host name')
    .optional()
    .describe("Name in the core's certificate, if it differs from the host name in the address.")
    .meta({ needs: ['REST_CORE_TLS_CA'] }),
  REST_MAX_IMAGE_BYTES: wholeNumber(1, largestImageBytes)
    .default(10 * MiB)
    .describe('Maximum size of a picture file, in bytes. Cores have a limit of their own, `CORE_MAX_IMAGE_BYTES`.'),
  REST_MAX_FORM_FIELDS: wholeNumber(1, 1000)
    .default(16)
    .describe('Maximum number of fields in a form, besides its file.'),
  REST_MAX_FIELD_BYTES: wholeNumber(1, MiB)
    .default(64 * 1024)
    .describe('Maximum size of a form field, in bytes.'),
  REST_MAX_BATCH_FILES: wholeNumber(1, 1000).default(32).describe('Maximum number of pictures in one request.'),
  REST_MAX_BATCH_BYTES: wholeNumber(1, 4096 * MiB)
    .default(128 * MiB)
    .describe('Maximum size of a request body with many pictures, in bytes.'),
  REST_MAX_BUFFERED_BYTES: wholeNumber(1, 64 * 1024 * MiB)
    .default(256 * MiB)
    .describe(
      'Maximum bytes of request bodies, and of responses not sent yet, held in memory at once; one address may take four fifths.',
    ),
  REST_REQUEST_TIMEOUT_MS: wholeNumber(1, 600_000)
    .default(30_000)
    .describe("Maximum time from the arrival of a request's headers to its response."),
  REST_LENIENT_FIELDS: flag.describe(
    'Whether names that an operation does not know are ignored; they are refused with `UNKNOWN_FIELD` otherwise.',
  ),
  REST_CORS_ORIGINS: origins
    .optional()
    .describe(
      'Origins whose pages may call the operations, such as `https://app.example`, separated by commas; `*` allows all, unset allows none.',
    ),
  REST_TRUSTED_PROXIES: proxyList
    .optional()
    .describe(
      'Proxies whose `x-forwarded-for` is trusted and whose connections are not limited, such as `10.2.0.0/16, ::1`. Behind any other proxy, all clients count as one address.',
    ),
  REST_METRICS_PORT: metricsPort,
  REST_METRICS_HOST: metricsHost,
  REST_SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000)
    .default(0)
    .describe(
      'How long requests are still accepted after SIGTERM, for a load balancer that takes time to notice. Responses then end their connections, and `/readyz` fails.',
    ),
  REST_SHUTDOWN_GRACE_MS: wholeNumber(0, 600_000)
    .default(10_000)
    .describe('Time that requests in flight get to finish after SIGTERM.'),
  REST_LOG_LEVEL: logLevel,
});

/** @throws ConfigError naming every mistake, one per line */
export function createConfig(env: Readonly<Record<string, string | undefined>>): Config {
  return readSettings(settings, env, findMisfits);
}

/** Settings that are valid on their own but not together. Invalid ones are absent. */
function* findMisfits(read: Partial<Config>): Generator<string> {
  // NaN compares false with everything.
  const { REST_MAX_BUFFERED_BYTES: buffered = NaN, REST_MAX_IMAGE_BYTES: image = NaN } = read;
  // One address gets four fifths of it.
  const minBuffered = Math.ceil((largestBodyBytes(image) * 5) / 4);
  if (buffered < minBuffered)
    yield `REST_MAX_BUFFERED_BYTES is ${buffered}: want at least ${minBuffered}, five fourths of the largest body`;
  // TLS requests a certificate by name; Node.js refuses an address instead.
  const needsName = read.REST_CORE_TLS_CA && !read.REST_CORE_TLS_NAME;
  for (const name of ['REST_CORE_ADDRESS', 'REST_CORE_ADMIN_ADDRESS'] as const) {
    const address = read[name];
    const isUsed = name === 'REST_CORE_ADDRESS' || read.REST_ADMIN_PORT !== undefined;
    if (needsName && isUsed && address !== undefined && isNumericTarget(address))
      yield `${name} is ${JSON.stringify(address)}: with TLS want a name, or REST_CORE_TLS_NAME`;
  }
}

export type RequestLimits = Readonly<ReturnType<typeof requestLimitsOf>>;

export function requestLimitsOf(config: Config) {
  return {
    maxImageBytes: config.REST_MAX_IMAGE_BYTES,
    maxBodyBytes: largestBodyBytes(config.REST_MAX_IMAGE_BYTES),
    maxBatchFiles: config.REST_MAX_BATCH_FILES,
    maxBatchBytes: config.REST_MAX_BATCH_BYTES,
    maxFormFields: config.REST_MAX_FORM_FIELDS,
    maxFieldBytes: config.REST_MAX_FIELD_BYTES,
    requestTimeoutMs: config.REST_REQUEST_TIMEOUT_MS,
    lenientFields: config.REST_LENIENT_FIELDS,
  };
}

/** Bytes of the largest body with a picture: that in base64, and 2 MiB for what is around it. */
function largestBodyBytes(imageBytes: number): number {
  return Math.ceil(imageBytes / 3) * 4 + 2 * MiB;
}
