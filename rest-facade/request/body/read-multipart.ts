import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { invalidField, missingField, type Refusal, refuse, refuseField } from '../../../runtime/errors/refusal.js';
import type { RequestLimits } from '../../config.js';
import { checkNames } from '../bind-request.js';
import { contentLength } from '../body-framing.js';
import type { NamedValue } from '../parse-target.js';
import { bodyTooLarge, createByteCollector } from './byte-collector.js';
import { type Done, pump, type ReadOptions } from './pump.js';

const formType = 'multipart/form-data';
const maxNameBytes = 100;

/**
 * Room for a boundary, which has at most 70 characters (RFC 2046, 5.1.1), in quotes and beside a charset. busboy
 * examines this many characters again for each byte that arrives alone, and may find the boundary where we would not.
 */
const maxContentTypeLength = 200;

interface FileRule {
  /** Name of their parts. */
  readonly sentAs: string;
  readonly maxFiles: number;
  /**
   * Each is a request of its own: it is refused alone if it is too large, and comes behind all fields. Otherwise they
   * are together no larger than one may be.
   */
  readonly areSeparate: boolean;
}

interface FormFile {
  readonly filename: string;
  readonly bytes: Buffer;
  /** Only if it is too large, and refused alone. */
  readonly refusal: Refusal | undefined;
}

/**
 * Reads a multipart/form-data body, each of its files into one buffer.
 *
 * busboy truncates what exceeds a limit and also reports what is exactly at it, so every size limit is set
 * one higher than intended. It silently skips parts without a usable Content-Disposition; they count as
 * parts, and what they should have contained is then missing.
 *
 * @param onFile gets the fields so far too; what it throws ends the reading
 * @returns the fields
 * @throws Refusal UNSUPPORTED_CONTENT_TYPE, MALFORMED_MULTIPART, MISSING_FIELD, REPEATED_FIELD, INVALID_FIELD,
 *   BODY_TOO_LARGE, or by {@link pump}
 */
export async function readMultipart(
  request: IncomingMessage,
  { sentAs, maxFiles, areSeparate }: FileRule,
  limits: RequestLimits,
  options: ReadOptions,
  onFile: (file: FormFile, fields: readonly NamedValue[]) => void,
): Promise<readonly NamedValue[]> {
  const { maxImageBytes: maxBytes } = limits;
  const parser = createParser(request, limits, maxFiles);
  const fields: NamedValue[] = [];
  const expectedBytes = maxFiles === 1 ? contentLength(request) : undefined;
  const together = { bytes: 0 };
  let begun = 0;
  let named = 0;
  let given = 0;

  const keep = (stream: Readable, filename: string | undefined, fail: Done): void => {
    const size = areSeparate ? { bytes: 0 } : together;
    const collector = createByteCollector(maxBytes, expectedBytes);
    stream.on('data', (chunk: Buffer) => {
      size.bytes += chunk.length;
      if (size.bytes <= maxBytes) collector.push(chunk);
      else if (!areSeparate) fail(bodyTooLarge(sentAs, maxBytes));
    });
    stream.on('end', () => {
      const bytes = collector.bytes();
      // What a browser sends if no file was chosen. An empty file would have a name.
      if (!filename && bytes.length === 0) return;
      given += 1;
      const refusal = size.bytes > maxBytes ? bodyTooLarge(sentAs, maxBytes) : undefined;
      try {
        onFile({ filename: filename ?? '', bytes, refusal }, fields);
      } catch (error) {
        fail(error);
      }
    });
  };

  const skip = (stream: Readable, name: string, fail: Done): void => {
    stream.resume();
    // If it was to be the only one, that is missing.
    if (maxFiles === 1) return;
    try {
      checkNames({ names: new Set([sentAs]) }, [name], limits);
    } catch (error) {
      fail(error);
    }
  };

  try {
    await pump(request, options, (done) => {
      // What the types leave out: a part may have no name, and a charset that is not known.
      parser.on('field', (name: string | undefined, value: string | undefined, { valueTruncated }) => {
        if (name === undefined) return;
        const isLate = areSeparate && begun > 0;
        const mistake =
          mistakeInField(name, value, valueTruncated, sentAs, limits) ??
          (isLate ? refuseField('INVALID_FIELD', name, 'comes after a file, want it before the first one') : undefined);
        if (mistake === undefined) fields.push({ name, value: value ?? '' });
        else done(mistake);
      });
      parser.on('file', (name: string | undefined, stream, info) => {
        // What the types leave out: a part may have no filename.
        const filename: string | undefined = info.filename;
        // If the end of the form is missing, both the parser and this stream report an error; the former suffices.
        stream.on('error', () => {});
        begun += 1;
        if (name === sentAs) named += 1;
        if (begun <= maxFiles && name === sentAs) keep(stream, filename, done);
        else if (begun <= maxFiles) skip(stream, name ?? '', done);
        else if (maxFiles === 1 && named > 1)
          done(refuseField('REPEATED_FIELD', sentAs, 'is given more than once, want one file'));
        else done(overLimit('too many files', maxFiles));
      });
      parser.on('fieldsLimit', () => done(overLimit('too many fields', limits.maxFormFields)));
      parser.on('partsLimit', () =>
        done(malformed('has too many parts', `at most ${maxFiles + limits.maxFormFields}`)),
      );
      parser.on('error', (cause) => done(unreadable(cause)));
      parser.on('close', () => {
        // Since Node.js 24, the parser, a writable stream, lives until V8's next full collection. This frees the file.
        parser.removeAllListeners();
        done(given === 0 ? missingFile(sentAs) : undefined);
      });
      return parser;
    });
  } catch (error) {
    parser.destroy();
    throw error;
  }
  return fields;
}

function mistakeInField(
  name: string,
  value: string | undefined,
  isTruncated: boolean,
  filePart: string,
  { maxFieldBytes }: RequestLimits,
): Refusal | undefined {
  if (Buffer.byteLength(name) > maxNameBytes) return overLimit('a field name that is too long', maxNameBytes, 'bytes');
  if (value === undefined) return refuseField('INVALID_FIELD', name, 'has an unknown charset, want UTF-8');
  // Most likely a file. It is empty where none was chosen.
  if (name === filePart && value !== '') return missingFile(filePart);
  return isTruncated ? overLimit('a field that is too long', maxFieldBytes, 'bytes', name) : undefined;
}

function createParser(request: IncomingMessage, limits: RequestLimits, maxFiles: number): busboy.Busboy {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType))
    throw invalidField('content-type', contentType, `${formType} with a boundary`, 'UNSUPPORTED_CONTENT_TYPE');
  if (contentType.length > maxContentTypeLength)
    throw overLimit('a content-type that is too long', maxContentTypeLength, 'characters', 'content-type');
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

/** Says as much as busboy does: which part header it is, and what is wrong with it, nobody knows. */
function unreadable(cause: unknown): Refusal {
  if (!(cause instanceof Error && cause.message === 'Malformed part header'))
    return malformed('cannot be parsed', 'parts between boundaries and a last boundary', cause);
  const wish = 'want "name: value" without control characters, in filenames too, and at most 16 KiB';
  return refuseField('MALFORMED_MULTIPART', 'part header', `cannot be read, ${wish}`, { cause });
}

function malformed(what: string, wish: string, cause?: unknown): Refusal {
  return refuse('MALFORMED_MULTIPART', `body ${what}, want ${wish}`, { cause });
}

function overLimit(what: string, limit: number, unit = '', field?: string): Refusal {
  const wish = `at most ${limit} ${unit}`.trimEnd();
  const details = field === undefined ? {} : { field };
  return refuse('MALFORMED_MULTIPART', `body has ${what}, want ${wish}`, { details, limit });
}

function missingFile(filePart: string): Refusal {
  return missingField(filePart, 'one file part with a filename');
}
