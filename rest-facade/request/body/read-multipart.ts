import type { IncomingMessage } from 'node:http';
import busboy from 'busboy';
import { callerGone, clip, missingField, quote, Refusal, refuse } from '../../../runtime/errors/refusal.js';
import { reserveBody } from '../../reserve-memory.js';
import type { NamedValue } from '../parse-target.js';
import { contentLength } from './body-framing.js';
import { bodyTooLarge, type ByteCollector, createByteCollector } from './byte-collector.js';
import type { ReadOptions } from './read-body.js';

const maxFiles = 1;
const maxNameBytes = 100;

/**
 * Room for a boundary, which has at most 70 characters (RFC 2046, 5.1.1), in quotes and beside a charset.
 * busboy examines this many characters again for each byte that arrives alone, and may find the boundary where we
 * would not.
 */
const maxContentTypeLength = 200;

/** The configured limits of a form, besides that of the whole body. */
interface FormLimits {
  readonly maxFileBytes: number;
  readonly maxFields: number;
  readonly maxFieldBytes: number;
}

/** A form with one file. */
export interface Form {
  readonly fields: readonly NamedValue[];
  readonly file: Buffer;
  /** Returns the bytes of the form to the budget; the file must not be used any more. */
  readonly release: () => void;
}

/**
 * Reads a multipart/form-data body with one file into one buffer.
 *
 * busboy truncates what exceeds a limit and also reports what is exactly at it, so every size limit is set
 * one higher than intended. It silently skips parts without a usable Content-Disposition; they count as
 * parts, and what they should have contained is then missing.
 *
 * @param filePart name of the part that is the file; fields of other names are returned as they are
 * @throws Refusal UNSUPPORTED_CONTENT_TYPE, MALFORMED_MULTIPART, MISSING_FIELD, REPEATED_FIELD,
 *   BODY_TOO_LARGE, QUEUE_FULL, or what the signal was aborted with
 */
export function readMultipart(
  request: IncomingMessage,
  options: ReadOptions & FormLimits & { readonly filePart: string },
): Promise<Form> {
  const { filePart, maxFileBytes, maxBodyBytes, signal } = options;
  const parser = createParser(request, options);
  const collector = createByteCollector({
    what: filePart,
    maxBytes: maxFileBytes,
    expectedBytes: contentLength(request),
  });
  // For the whole body: until its end, the parser or `fields` hold everything but the file.
  const hold = reserveBody(options.budget);
  let hasFailed = false;
  let bodyBytes = 0;

  return new Promise<Form>((resolve, reject) => {
    const stop = () => {
      signal.removeEventListener('abort', onAbort);
      request.off('data', onData).off('end', onEnd).off('error', onRequestError);
    };
    /** The first failure decides; later reports by the parser are ignored. */
    const fail = (refusal: unknown) => {
      if (hasFailed) return;
      hasFailed = true;
      stop();
      request.pause();
      // Deferred: this runs inside busboy's own parsing, which crashes on what destroy clears.
      setImmediate(() => parser.destroy());
      hold.release();
      reject(Refusal.from(refusal));
    };
    const onAbort = () => fail(signal.reason);
    const onRequestError = (cause: unknown) => fail(callerGone(cause));
    const onData = (chunk: Buffer) => {
      bodyBytes += chunk.length;
      try {
        if (bodyBytes > maxBodyBytes) throw bodyTooLarge('body', maxBodyBytes);
        hold.grow(chunk.length);
      } catch (error) {
        return fail(error);
      }
      parser.write(chunk);
    };
    const onEnd = () => parser.end();

    const fields = collectFields(parser, options, fail);
    const found = collectFile(parser, filePart, collector, fail);
    parser.on('partsLimit', () => fail(malformed('has too many parts', `at most ${maxFiles + options.maxFields}`)));
    parser.on('error', (cause) =>
      fail(malformed('cannot be parsed', 'parts between boundaries and a last boundary', cause)),
    );
    parser.on('close', () => {
      // Since Node.js 24, the parser, a writable stream, lives until V8's next full collection. This frees the file.
      parser.removeAllListeners();
      if (found.hasFile) {
        stop();
        resolve({ fields, file: collector.bytes(), release: hold.release });
      } else fail(missingFile(filePart));
    });

    if (signal.aborted) return fail(signal.reason);
    signal.addEventListener('abort', onAbort);
    options.start();
    request.on('data', onData).on('end', onEnd).on('error', onRequestError);
  });
}

type Fail = (refusal: Refusal) => void;

/** The fields, as they arrive. */
function collectFields(
  parser: busboy.Busboy,
  { filePart, maxFields, maxFieldBytes }: FormLimits & { readonly filePart: string },
  fail: Fail,
): readonly NamedValue[] {
  const fields: NamedValue[] = [];
  parser.on('field', (name: string | undefined, value, { valueTruncated }) => {
    if (name === undefined) return;
    if (Buffer.byteLength(name) > maxNameBytes)
      fail(overLimit('a field name that is too long', maxNameBytes, { unit: 'bytes' }));
    // Judging by its length, most likely a file.
    else if (valueTruncated && name === filePart) fail(missingFile(filePart));
    else if (valueTruncated) fail(overLimit('a field that is too long', maxFieldBytes, { unit: 'bytes', field: name }));
    else fields.push({ name, value });
  });
  parser.on('fieldsLimit', () => fail(overLimit('too many fields', maxFields)));
  return fields;
}

/** Collects the one file; `hasFile` says whether it arrived. */
function collectFile(
  parser: busboy.Busboy,
  filePart: string,
  collector: ByteCollector,
  fail: Fail,
): { readonly hasFile: boolean } {
  const found = { hasFile: false };
  let files = 0;
  parser.on('file', (name: string | undefined, stream, { filename }) => {
    files += 1;
    // If the end of the form is missing, both the parser and this stream report an error; the former suffices.
    stream.on('error', () => {});
    if (files > maxFiles) {
      const isRepeated = name === filePart && found.hasFile;
      fail(isRepeated ? repeated(name) : overLimit('too many files', maxFiles));
    } else if (name === filePart) {
      found.hasFile = true;
      stream.on('data', (chunk: Buffer) => {
        try {
          collector.push(chunk);
        } catch (error) {
          fail(Refusal.from(error));
        }
      });
      // What a browser sends if no file was chosen. An empty file would have a name.
      stream.on('end', () => {
        if (!filename && collector.bytes().length === 0) found.hasFile = false;
      });
    } else stream.resume();
  });
  return found;
}

function createParser(request: IncomingMessage, { maxFileBytes, maxFields, maxFieldBytes }: FormLimits): busboy.Busboy {
  const contentType = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType))
    throw refuse(
      'UNSUPPORTED_CONTENT_TYPE',
      `content-type is ${quote(contentType)}, want multipart/form-data with a boundary`,
      { details: { field: 'content-type', value: clip(contentType) } },
    );
  if (contentType.length > maxContentTypeLength)
    throw overLimit('a content-type that is too long', maxContentTypeLength, {
      unit: 'characters',
      field: 'content-type',
    });
  try {
    return busboy({
      headers: request.headers,
      limits: {
        // One more, so that its name can be reported.
        files: maxFiles + 1,
        fileSize: maxFileBytes + 1,
        fields: maxFields,
        fieldSize: maxFieldBytes + 1,
        fieldNameSize: maxNameBytes + 1,
        // Reported when reached. Skipped parts count here only.
        parts: maxFiles + maxFields + 1,
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

function overLimit(what: string, limit: number, { unit = '', field }: { unit?: string; field?: string } = {}): Refusal {
  const wish = `at most ${limit} ${unit}`.trimEnd();
  return refuse('MALFORMED_MULTIPART', `body has ${what}, want ${wish}`, {
    details: { ...(field !== undefined && { field }), limit: String(limit) },
  });
}

function missingFile(filePart: string): Refusal {
  return missingField(filePart, 'one file part with a filename');
}

function repeated(name: string): Refusal {
  return refuse('REPEATED_FIELD', `${name} is given more than once, want one file`, {
    details: { field: name },
  });
}
