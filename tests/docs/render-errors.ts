import { readFileSync } from 'node:fs';
import { readReasons } from '../../rest-facade/openapi/refusals.js';
import { toHttpStatus } from '../../rest-facade/response/http-error.js';
import { codeOfReason } from '../../runtime/errors/reasons.js';

/** docs/errors.md with the rows of its table made of the protos; what is around them is written by hand. */
export function renderErrors(): string {
  const rows = readReasons()
    .map(({ name, code, comment }) => ({ http: toHttpStatus(codeOfReason[name], name), name, code, comment }))
    .sort((one, other) => one.http - other.http)
    .map(({ http, code, name, comment }) => `| ${http} | ${code} | ${name} | ${comment} |\n`);
  return readFileSync('docs/errors.md', 'utf8').replace(/^(?:\| \d+ \| .*\n)+/m, () => rows.join(''));
}
