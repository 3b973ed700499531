import { parseArgs } from 'node:util';
import { ConfigError } from '../../runtime/errors/config-error.js';
import { grpcTargetWish, isGrpcTarget } from '../../runtime/net/grpc-target.js';
import { readCertificates, readIdentity } from '../../runtime/net/tls.js';
import { credentials } from '../../sdk/typescript/client.js';
import { trimKey } from '../../sdk/typescript/trim-key.js';
import type { FeatureName } from './features.js';

export const usage = `Analyses folders of pictures through the bulk streams of a running service.

  APIKEY=… npm run analyze -- photos/
  APIKEY=… npm run analyze -- --feature meters --annotate out/ photos/*.jpg

Writes one JSON line per picture, including those that fail. Run it again to resume: pictures that were
answered, whatever the options, are empty or damaged, or show no meter are skipped; others are sent again (the
last line counts). With other options, name another --output. In
folders, files with an image extension are sent, including BMP, and HEIC, which the service refuses unless
CORE_HEIC is set; other files are skipped and reported. Files named on the command line are always sent.

  --feature NAME     faces (default) or meters
  --output FILE      default: faces.jsonl, meters.jsonl, fused.jsonl or redactions.jsonl
  --csv FILE         write all results there at the end, one row per face or reading: UTF-8, with commas
                     between cells and points in numbers
  --annotate FOLDER  write annotated copies there, also of pictures answered in an earlier run
  --fuse             read the photos of each folder, up to 8, as those of one meter: a line a folder
  --redact FOLDER    write copies with hidden faces and without metadata there, in place of a feature's results;
                     for other copies of the same pictures, name another folder
  --address HOST     host:port of the core's gRPC service; default: 127.0.0.1 and CORE_PORT, or 50051
  --tls-ca FILE      PEM file with the CA that signed the core's certificate
  --tls-cert FILE    PEM file with a certificate for a core that asks for one (CORE_TLS_CLIENT_CA)
  --tls-key FILE     PEM file with its private key
  --company NAME     use this company's score as the threshold (faces)
  --min-score SCORE  threshold for this run, 0 to 1 (faces)
  --in-flight N      number of pictures in flight; default: 8
  --max-bytes N      do not send larger files; default: 10485760
`;

/** What to do in a run. */
export type RunOptions = NonNullable<Awaited<ReturnType<typeof readCommandLine>>>;

/** Reads command line and environment; undefined for --help. @throws ConfigError, or what parseArgs throws */
export async function readCommandLine(args: readonly string[], environment: Readonly<NodeJS.ProcessEnv>) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      feature: { type: 'string', default: 'faces' },
      output: { type: 'string' },
      csv: { type: 'string' },
      annotate: { type: 'string' },
      redact: { type: 'string' },
      fuse: { type: 'boolean', default: false },
      address: { type: 'string', default: `127.0.0.1:${environment['CORE_PORT'] || 50051}` },
      'tls-ca': { type: 'string' },
      'tls-cert': { type: 'string' },
      'tls-key': { type: 'string' },
      company: { type: 'string', default: '' },
      'min-score': { type: 'string' },
      'in-flight': { type: 'string', default: '8' },
      'max-bytes': { type: 'string', default: String(10 * 2 ** 20) },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  if (positionals.length === 0) throw new ConfigError('no pictures are named; see --help');
  const { annotate, redact, fuse, 'min-score': minScore } = values;
  if (values.feature !== 'faces' && values.feature !== 'meters')
    throw new ConfigError(`--feature is "${values.feature}", want faces or meters`);
  if (redact !== undefined && (values.feature === 'meters' || annotate !== undefined))
    throw new ConfigError(
      '--redact hides faces and does nothing else, want it without --feature meters and --annotate',
    );
  if (fuse && (redact !== undefined || annotate !== undefined))
    throw new ConfigError('--fuse reads several photos as one, want it without --redact and --annotate');
  for (const option of ['company', 'min-score'] as const)
    if (values[option] && (fuse || values.feature === 'meters'))
      throw new ConfigError(`--${option} is about faces, want it without --feature meters and --fuse`);
  const feature: FeatureName = fuse ? 'fused' : redact === undefined ? values.feature : 'redactions';
  const [option, folder] = redact === undefined ? (['annotate', annotate] as const) : (['redact', redact] as const);
  if (!isGrpcTarget(values.address)) throw new ConfigError(`--address is "${values.address}", ${grpcTargetWish}`);
  return {
    wanted: positionals,
    output: values.output ?? `${feature}.jsonl`,
    csv: values.csv,
    /** Where copies of the pictures go; undefined: none are made. */
    copies: folder === undefined ? undefined : { option, folder, wanted: positionals },
    address: values.address,
    credentials: await readCredentials(values),
    apiKey: readKey(environment),
    feature,
    company: values.company,
    minScore: minScore === undefined ? undefined : toScore('min-score', minScore),
    landmarks: annotate !== undefined,
    inFlight: toCount('in-flight', values['in-flight']),
    maxImageBytes: toCount('max-bytes', values['max-bytes']),
  };
}

type TlsFiles = Partial<Record<'tls-ca' | 'tls-cert' | 'tls-key', string>>;

/** Plain text without an authority. */
async function readCredentials({ 'tls-ca': ca, 'tls-cert': cert, 'tls-key': key }: TlsFiles) {
  if ((cert ?? key) !== undefined && [ca, cert, key].includes(undefined))
    throw new ConfigError('--tls-cert and --tls-key are a client certificate, want both, and --tls-ca');
  if (ca === undefined) return credentials.createInsecure();
  const own = await readIdentity(['--tls-cert', cert], ['--tls-key', key]);
  return credentials.createSsl(await readCertificates('--tls-ca', ca), own?.key, own?.cert);
}

/** The key in APIKEY, which is in no message. @throws ConfigError if there is none, or one that cannot be sent */
function readKey(environment: Readonly<NodeJS.ProcessEnv>): string {
  let key: string;
  try {
    key = trimKey('APIKEY', environment['APIKEY'] ?? '');
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  if (key === '') throw new ConfigError('APIKEY is not set, want an API key of the service');
  return key;
}

function toScore(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new ConfigError(`--${option} is "${text}", want a number from 0 to 1`);
}

/** With 0 the run would never finish. */
function toCount(option: string, text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new ConfigError(`--${option} is "${text}", want a whole number from 1`);
}
