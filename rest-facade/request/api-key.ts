import type { IncomingMessage } from 'node:http';
import { type Refusal, refuseField } from '../../runtime/errors/refusal.js';
import type { KeyHeader } from '../protos/rpcs.js';

/** What a header wants, and which keys are none. */
const rules: Readonly<Record<KeyHeader, { wish: string; maxLength: number; form: RegExp; mistake: string }>> = {
  // Longer than any key that the core issues.
  apikey: { wish: 'an API key', maxLength: 256, form: /^[!-~]+$/, mistake: 'has blanks or is not ASCII' },
  adminkey: { wish: 'the key of AdminService', maxLength: Infinity, form: /^[ -~]+$/, mistake: 'is not ASCII' },
};

/**
 * The key of a request, in the header of its name, or by its other names `x-api-key` and `Authorization: Bearer`. The
 * core decides whether it is valid; only keys that cannot be forwarded as metadata are refused here.
 * @throws Refusal MISSING_API_KEY, INVALID_API_KEY, INVALID_FIELD
 */
export function readApiKey({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>, name: KeyHeader): string {
  const { maxLength, form, mistake } = rules[name];
  const bearer = (headersDistinct['authorization'] ?? []).flatMap(
    // Of another scheme, it is for somebody else.
    (value) => /^Bearer +(.*)$/i.exec(value)?.[1] ?? [],
  );
  const given = [...(headersDistinct[name] ?? []), ...(headersDistinct['x-api-key'] ?? []), ...bearer];
  const [key, ...others] = new Set(given.filter((value) => value !== ''));
  if (key === undefined) throw missingApiKey(name);
  if (others.length > 0) throw refuseField('INVALID_FIELD', name, 'is given twice with different values, want one');
  // Without the key, which is a secret.
  const invalid = (clause: string) => refuseField('INVALID_API_KEY', name, `${clause}, want one API key`);
  if (key.length > maxLength) throw invalid(`has ${key.length} characters`);
  if (!form.test(key)) throw invalid(mistake);
  return key;
}

export function missingApiKey(name: KeyHeader): Refusal {
  return refuseField('MISSING_API_KEY', name, `is missing, want ${rules[name].wish} in this header`);
}
