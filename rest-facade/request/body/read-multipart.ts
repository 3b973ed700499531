import type { IncomingMessage } from 'node:http';
import busboy from 'busboy';
import { type Refusal, refuse, refuseField } from '../../../runtime/errors/refusal.js';
import type { RequestLimits } from '../../config.js';
import { contentLength } from '../body-framing.js';
import type { NamedValue } from '../parse-target.js';
import { boundariesOf } from './busboy-patches/boundaries-of.js';
import { createForm, type FileRule, type OnFile, overLimit } from './form.js';
import { pump, type ReadOptions } from './pump.js';

/**
 * Room for a boundary, which has at most 70 characters (RFC 2046, 5.1.1), in quotes and beside a charset. busboy
 * examines this many characters again for each byte that arrives alone, and may find the boundary where we would not.
 */
const maxContentTypeLength = 200;

/**
 * Reads a body whose content type says that it is multipart/form-data. Each boundary but the last must have begun a
 * part: what busboy skips would be left out unnoticed.
 *
 * @param onFile what it throws ends the reading
 * @returns the fields
 * @throws Refusal MALFORMED_MULTIPART, MISSING_FIELD, REPEATED_FIELD, INVALID_FIELD, BODY_TOO_LARGE, or by {@link pump}
 */
export async function readMultipart(
  request: IncomingMessage,
  rule: FileRule,
  limits: RequestLimits,
  options: ReadOptions,
  onFile: OnFile,
): Promise<readonly NamedValue[]> {
  const { maxFiles } = rule;
  const { maxFormFields } = limits;
  const parser = createParser(request, limits, maxFiles);
  const boundaries = boundariesOf(parser);
  let parts = 0;
  const form = createForm(rule, limits, contentLength(request), onFile);
  try {
    await pump(request, options, (done, attempt) => {
      for (const part of ['field', 'file'] as const) parser.on(part, () => (parts += 1));
      parser.on('field', attempt(form.takeField));
      parser.on(
        'file',
        attempt((name, stream, info) => form.takeFile(name, stream, info, attempt)),
      );
      parser.on('fieldsLimit', () => done(overLimit('too many fields', maxFormFields)));
      parser.on('partsLimit', () => done(malformed('has too many parts', `at most ${maxFiles + maxFormFields}`)));
      parser.on('error', (cause) => done(unreadable(cause)));
      const onClose = attempt(() => {
        // Since Node.js 24, the parser, a writable stream, lives until V8's next full collection. This frees the file.
        parser.removeAllListeners();
        if (boundaries.matches !== parts + 1)
          throw malformed('has a part that is none of a form', 'content-disposition: form-data; name="…" in each');
        form.assertComplete();
        done();
      });
      parser.on('close', onClose);
      return parser;
    });
  } catch (error) {
    parser.destroy();
    throw error;
  }
  return form.fields;
}

/**
 * busboy truncates what exceeds a limit and also reports what is exactly at it, so every size limit is set one higher
 * than intended.
 */
function createParser(request: IncomingMessage, limits: RequestLimits, maxFiles: number): busboy.Busboy {
  const contentType = request.headers['content-type'] ?? '';
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
        // Reported when reached. Skipped parts count here only.
        parts: maxFiles + limits.maxFormFields + 1,
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
