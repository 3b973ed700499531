import type { Readable } from 'node:stream';
import type { FieldInfo, FileInfo } from 'busboy';
import { bodyTooLarge, missingField, type Refusal, refuse, refuseField } from '../../../runtime/errors/refusal.js';
import type { RequestLimits } from '../../config.js';
import { checkNames } from '../check-names.js';
import type { NamedValue } from '../parse-target.js';
import { createByteCollector } from './byte-collector.js';
import type { Attempt } from './pump.js';

export interface FileRule {
  /** Name of their parts. */
  readonly sentAs: string;
  readonly maxFiles: number;
  /** Of all parts. */
  readonly names: ReadonlySet<string>;
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

/** @param file a view of its own buffer @param fields those so far */
export type OnFile = (file: FormFile, fields: readonly NamedValue[]) => void;

const maxNameBytes = 100;

/**
 * Takes the parts of a form, each of its files into one buffer.
 *
 * What busboy's types leave out: a part may have no name, which is then an unknown one, a field a charset that is not
 * known, and a file no filename.
 *
 * @param expectedBytes the Content-Length
 */
export function createForm(
  { sentAs, maxFiles, names, areSeparate }: FileRule,
  limits: RequestLimits,
  expectedBytes: number | undefined,
  onFile: OnFile,
) {
  const { maxImageBytes: maxBytes } = limits;
  const fields: NamedValue[] = [];
  const together = { bytes: 0 };
  /** Parts with a file, those of them with the right name, and files that were given. */
  let [begun, named, given] = [0, 0, 0];

  return {
    fields: fields as readonly NamedValue[],

    /** @throws Refusal MALFORMED_MULTIPART, INVALID_FIELD, MISSING_FIELD */
    takeField: (name = '', value: string | undefined, { valueTruncated }: FieldInfo): void => {
      if (Buffer.byteLength(name) > maxNameBytes)
        throw overLimit('a field name that is too long', maxNameBytes, 'bytes');
      if (value === undefined) throw refuseField('INVALID_FIELD', name, 'has an unknown charset, want UTF-8');
      // Most likely a file. It is empty where none was chosen.
      if (name === sentAs && value !== '') throw missingFile(sentAs);
      if (valueTruncated) throw overLimit('a field that is too long', limits.maxFieldBytes, 'bytes', name);
      if (areSeparate && begun > 0)
        throw refuseField('INVALID_FIELD', name, 'comes after a file, want it before the first one');
      fields.push({ name, value });
    },

    /** @throws Refusal REPEATED_FIELD, MALFORMED_MULTIPART, INVALID_FIELD, UNKNOWN_FIELD; BODY_TOO_LARGE by `attempt` */
    takeFile(name = '', stream: Readable, { filename }: Partial<FileInfo>, attempt: Attempt): void {
      // If the end of the form is missing, both the parser and this stream report an error; the former suffices.
      stream.on('error', () => {});
      begun += 1;
      if (name === sentAs) named += 1;
      else if (names.has(name)) throw refuseField('INVALID_FIELD', name, 'is a file, want a text');
      if (maxFiles === 1 && named > 1)
        throw refuseField('REPEATED_FIELD', sentAs, 'is given more than once, want one file');
      if (begun > maxFiles) throw overLimit('too many files', maxFiles);
      if (name !== sentAs) {
        stream.resume();
        // If it was to be the only one, that is missing.
        if (maxFiles > 1) checkNames({ names }, [name], limits);
        return;
      }
      const size = areSeparate ? { bytes: 0 } : together;
      const collector = createByteCollector(maxBytes, maxFiles === 1 ? expectedBytes : undefined);
      const onData = (chunk: Buffer): void => {
        size.bytes += chunk.length;
        if (size.bytes <= maxBytes) collector.push(chunk);
        else if (!areSeparate) throw maxFiles === 1 ? bodyTooLarge(sentAs, maxBytes) : filesTooLarge(sentAs, maxBytes);
      };
      const onEnd = (): void => {
        const bytes = collector.bytes();
        // What a browser sends if no file was chosen. An empty file would have a name.
        if (!filename && bytes.length === 0) return;
        given += 1;
        const refusal = size.bytes > maxBytes ? bodyTooLarge(sentAs, maxBytes) : undefined;
        onFile({ filename: filename ?? '', bytes, refusal }, fields);
      };
      stream.on('data', attempt(onData)).on('end', attempt(onEnd));
    },

    /** @throws Refusal MISSING_FIELD */
    assertComplete(): void {
      if (given === 0) throw missingFile(sentAs);
    },
  };
}

export function overLimit(what: string, limit: number, unit = '', field?: string): Refusal {
  const wish = `at most ${limit} ${unit}`.trimEnd();
  const details = field === undefined ? {} : { field };
  return refuse('MALFORMED_MULTIPART', `body has ${what}, want ${wish}`, { details, limit });
}

/** As {@link bodyTooLarge}, for all files of a form. */
export function filesTooLarge(filePart: string, maxBytes: number): Refusal {
  const clause = `has too many bytes, want at most ${maxBytes} in all files together`;
  return refuseField('BODY_TOO_LARGE', filePart, clause, { limit: maxBytes });
}

export function missingFile(filePart: string): Refusal {
  return missingField(filePart, 'one file part with a filename');
}
