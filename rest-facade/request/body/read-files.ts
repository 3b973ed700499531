import type { IncomingMessage } from 'node:http';
import { type Refusal, refuseField } from '../../../runtime/errors/refusal.js';
import type { RequestLimits } from '../../config.js';
import type { NamedValue } from '../parse-target.js';
import { createByteCollector } from './byte-collector.js';
import type { ReadOptions } from './pump.js';
import { collectFields, missingFile, overLimit, readParts } from './read-multipart.js';

/** A file of a form, or why it is refused. */
export interface FormFile {
  readonly filename: string;
  readonly bytes: Buffer;
  readonly refusal: Refusal | undefined;
}

/**
 * Reads a multipart/form-data body with many files, and hands each over once it is complete. A file that is too large
 * is refused alone.
 *
 * @param filePart name of the parts that are the files
 * @param fields gets the fields, which must come before the files
 * @param onFile what it throws ends the reading
 * @throws Refusal as of `readMultipart`, and INVALID_FIELD for a field behind a file
 */
export function readFiles(
  request: IncomingMessage,
  filePart: string,
  limits: RequestLimits,
  options: ReadOptions,
  { fields, onFile }: { readonly fields: NamedValue[]; readonly onFile: (file: FormFile) => void },
): Promise<void> {
  const { maxBatchFiles: maxFiles, maxImageBytes: maxBytes } = limits;
  return readParts(request, limits, options, maxFiles, (parser, fail) => {
    let begun = 0;
    let given = 0;
    parser.on('field', (name: string | undefined) => {
      if (begun > 0 && name !== undefined)
        fail(refuseField('INVALID_FIELD', name, 'comes after a file, want it before the first one'));
    });
    collectFields(parser, filePart, limits, fields, fail);
    parser.on('file', (name: string | undefined, stream, info) => {
      begun += 1;
      // What the types leave out: a part may have no filename.
      const filename = info.filename;
      stream.on('error', () => {});
      if (begun > maxFiles) return fail(overLimit('too many files', maxFiles));
      if (name !== filePart) return void stream.resume();
      const collector = createByteCollector({ what: filePart, maxBytes, expectedBytes: undefined });
      let refusal: Refusal | undefined;
      stream.on('data', (chunk: Buffer) => {
        try {
          if (refusal === undefined) collector.push(chunk);
        } catch (error) {
          refusal = error as Refusal;
        }
      });
      stream.on('end', () => {
        const bytes = collector.bytes();
        // What a browser sends if no file was chosen.
        if (filename === undefined && bytes.length === 0) return;
        given += 1;
        try {
          onFile({ filename: filename ?? '', bytes, refusal });
        } catch (error) {
          fail(error);
        }
      });
    });
    return () => (given === 0 ? missingFile(filePart) : undefined);
  });
}
