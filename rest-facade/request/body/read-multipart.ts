import type { IncomingMessage } from 'node:http';
import busboy from 'busboy';
import { invalidField, missingField, type Refusal, refuse, refuseField } from '../../../runtime/errors/refusal.js';
import type { RequestLimits } from '../../config.js';
import { contentLength } from '../body-framing.js';
import type { NamedValue } from '../parse-target.js';
import { bodyTooLarge, type ByteCollector, createByteCollector } from './byte-collector.js';
import { type Done, pump, type ReadOptions } from './pump.js';

const formType = 'multipart/form-data';
const maxNameBytes = 100;

/**
 * Room for a boundary, which has at most 70 characters (RFC 2046, 5.1.1), in quotes and beside a charset.
 * busboy examines this many characters again for each byte that arrives alone, and may find the boundary where we
 * would not.
 */
const maxContentTypeLength = 200;

/** The files that a form has: one, or `maxFiles` at most, which together are no larger than one may be. */
interface FileRule {
  /** Name of their parts; fields of other names are returned as they are. */
  readonly sentAs: string;
  readonly maxFiles: number | undefined;
}

/**
 * Reads a multipart/form-data body, each of its files into one buffer.
 *
 * busboy truncates what exceeds a limit and also reports what is exactly at it, so every size limit is set
 * one higher than intended. It silently skips parts without a usable Content-Disposition; they count as
 * parts, and what they should have contained is then missing.
 *
 * @throws Refusal UNSUPPORTED_CONTENT_TYPE, MALFORMED_MULTIPART, MISSING_FIELD, REPEATED_FIELD, BODY_TOO_LARGE, or
 *   by {@link pump}
 */
export async function readMultipart(
  request: IncomingMessage,
  { sentAs: filePart, maxFiles }: FileRule,
  limits: RequestLimits,
  options: ReadOptions,
): Promise<{ readonly picture: Buffer | readonly Buffer[]; readonly fields: readonly NamedValue[] }> {
  const files: ByteCollector[] = [];
  const fields: NamedValue[] = [];
  const expectedBytes = maxFiles === undefined ? contentLength(request) : undefined;
  await readParts(request, limits, options, maxFiles ?? 1, (parser, fail) => {
    collectFields(parser, filePart, limits, fields, fail);
    collectFiles(parser, { sentAs: filePart, maxFiles }, { ...limits, expectedBytes }, files, fail);
    return () => (files.length === 0 ? missingFile(filePart) : undefined);
  });
  const [first, ...others] = files.map((file) => file.bytes()) as [Buffer, ...Buffer[]];
  return { picture: maxFiles === undefined ? first : [first, ...others], fields };
}

/**
 * Reads the parts of a multipart/form-data body.
 *
 * @param open listens to the parser, and returns what says in the end what is missing
 * @throws Refusal UNSUPPORTED_CONTENT_TYPE, MALFORMED_MULTIPART, what `open` fails with, or by {@link pump}
 */
export async function readParts(
  request: IncomingMessage,
  limits: RequestLimits,
  options: ReadOptions,
  maxFiles: number,
  open: (parser: busboy.Busboy, fail: Done) => () => Refusal | undefined,
): Promise<void> {
  const parser = createParser(request, limits, maxFiles);
  try {
    await pump(request, options, (done) => {
      const findMissing = open(parser, done);
      const maxParts = maxFiles + limits.maxFormFields;
      parser.on('partsLimit', () => done(malformed('has too many parts', `at most ${maxParts}`)));
      parser.on('error', (cause) =>
        done(malformed('cannot be parsed', 'parts between boundaries and a last boundary', cause)),
      );
      parser.on('close', () => {
        // Since Node.js 24, the parser, a writable stream, lives until V8's next full collection. This frees the file.
        parser.removeAllListeners();
        done(findMissing());
      });
      return parser;
    });
  } catch (error) {
    parser.destroy();
    throw error;
  }
}

/** The fields, as they arrive. */
export function collectFields(
  parser: busboy.Busboy,
  filePart: string,
  { maxFormFields, maxFieldBytes }: RequestLimits,
  fields: NamedValue[],
  fail: Done,
): void {
  parser.on('field', (name: string | undefined, value, { valueTruncated }) => {
    if (name === undefined) return;
    if (Buffer.byteLength(name) > maxNameBytes)
      fail(overLimit('a field name that is too long', maxNameBytes, { unit: 'bytes' }));
    // Judging by its length, most likely a file.
    else if (valueTruncated && name === filePart) fail(missingFile(filePart));
    else if (valueTruncated) fail(overLimit('a field that is too long', maxFieldBytes, { unit: 'bytes', field: name }));
    else fields.push({ name, value });
  });
  parser.on('fieldsLimit', () => fail(overLimit('too many fields', maxFormFields)));
}

/** Collects the files, as they arrive. */
function collectFiles(
  parser: busboy.Busboy,
  { sentAs: filePart, maxFiles }: FileRule,
  {
    maxImageBytes: maxBytes,
    expectedBytes,
  }: Pick<RequestLimits, 'maxImageBytes'> & { expectedBytes: number | undefined },
  files: ByteCollector[],
  fail: Done,
): void {
  let begun = 0;
  let bytes = 0;
  parser.on('file', (name: string | undefined, stream, { filename }) => {
    begun += 1;
    // If the end of the form is missing, both the parser and this stream report an error; the former suffices.
    stream.on('error', () => {});
    if (begun > (maxFiles ?? 1)) {
      const isRepeated = maxFiles === undefined && name === filePart && files.length > 0;
      fail(isRepeated ? repeatedFile(name) : overLimit('too many files', maxFiles ?? 1));
    } else if (name === filePart) {
      const collector = createByteCollector({ what: filePart, maxBytes, expectedBytes });
      files.push(collector);
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        try {
          if (bytes > maxBytes) throw bodyTooLarge(filePart, maxBytes);
          collector.push(chunk);
        } catch (error) {
          fail(error);
        }
      });
      // What a browser sends if no file was chosen. An empty file would have a name.
      stream.on('end', () => {
        if (!filename && collector.bytes().length === 0) files.splice(files.indexOf(collector), 1);
      });
    } else stream.resume();
  });
}

function createParser(request: IncomingMessage, limits: RequestLimits, maxFiles: number): busboy.Busboy {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType))
    throw invalidField('content-type', contentType, `${formType} with a boundary`, 'UNSUPPORTED_CONTENT_TYPE');
  if (contentType.length > maxContentTypeLength)
    throw overLimit('a content-type that is too long', maxContentTypeLength, {
      unit: 'characters',
      field: 'content-type',
    });
  try {
    return busboy({
      headers: request.headers,
      // As browsers send filenames.
      defParamCharset: 'utf8',
      limits: {
        // One more, so that its name can be reported.
        files: maxFiles + 1,
        fileSize: limits.maxImageBytes + 1,
        fields: limits.maxFormFields,
        fieldSize: limits.maxFieldBytes + 1,
        fieldNameSize: maxNameBytes + 1,
        // Reported when reached. Skipped parts count here only.
        parts: maxFiles + limits.maxFormFields + 1,
        headerPairs: 16,
      },
    });
  } catch (cause) {
    throw malformed('has no boundary in its content-type', 'one', cause);
  }
}

function malformed(what: string, wish: string, cause?: unknown): Refusal {
  return refuse('MALFORMED_MULTIPART', `body ${what}, want ${wish}`, { cause });
}

/** The refusal of a form that breaks a limit. */
export function overLimit(
  what: string,
  limit: number,
  { unit = '', field }: { unit?: string; field?: string } = {},
): Refusal {
  const wish = `at most ${limit} ${unit}`.trimEnd();
  return refuse('MALFORMED_MULTIPART', `body has ${what}, want ${wish}`, {
    details: { ...(field !== undefined && { field }), limit: String(limit) },
  });
}

function repeatedFile(filePart: string): Refusal {
  return refuseField('REPEATED_FIELD', filePart, 'is given more than once, want one file');
}

/** The refusal of a form without a file. */
export function missingFile(filePart: string): Refusal {
  return missingField(filePart, 'one file part with a filename');
}
