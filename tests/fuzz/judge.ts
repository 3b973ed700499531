import { status as codes } from '@grpc/grpc-js';
import { toHttpStatus } from '../../rest-facade/response/http-error.js';
import { codeOfReason, type Reason } from '../../runtime/errors/reasons.js';

/** An HTTP answer as it came; undefined: the connection ended without one. */
interface HttpVerdictInput {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Reasons that no input may bring about: they mean that something broke. */
const faults: readonly string[] = [
  'INTERNAL',
  'CORE_UNAVAILABLE',
  'SHUTTING_DOWN',
  'STORE_UNAVAILABLE',
  'WORKER_LOST',
  'DEADLINE',
];

/** What an answer must never show: stacks, paths, names and texts of libraries. */
const leaks =
  /\bat \S+ \(|\bnode:|node_modules|\/(home|tmp|usr|root|work|app)\/|\.[jt]s:\d|\b(vips|libvips|onnx|ort|knex|sqlite|busboy|zod|errno|syscall|ENOENT|undefined|\[object)\b/i;

/** @returns what is wrong with the answer; undefined: nothing. */
export function judgeHttp(answer: HttpVerdictInput, method: string): string | undefined {
  const { status, headers, body } = answer;
  if (status === 204 || (status === 200 && !headers['content-type']?.startsWith('application/json'))) return undefined;
  if (method === 'HEAD') return undefined;
  const parsed = parseObject(body);
  if (parsed === undefined) return `status ${status} with a body that is no JSON object`;
  const { message, code, reason, details } = parsed;
  if (typeof message !== 'string') return `status ${status} without a message`;
  if (status === 200) return undefined;
  if (typeof parsed['request_id'] !== 'string' || typeof details !== 'object')
    return `status ${status} with an incomplete error body`;
  const problem = judgeReason(reason, codes[code as keyof typeof codes], message);
  if (problem !== undefined) return `status ${status}: ${problem}`;
  const wanted = toHttpStatus(codeOfReason[reason as Reason], reason as string);
  return status === wanted ? undefined : `status ${status} for ${String(reason)}, want ${wanted}`;
}

/** @returns what is wrong with the error of a call; undefined: nothing. */
export function judgeGrpc(code: codes, reason: string, message: string): string | undefined {
  // A method that is not there is refused by the server itself, before anything of ours.
  if (code === codes.UNIMPLEMENTED && reason === '') return undefined;
  return judgeReason(reason, code, message);
}

function judgeReason(reason: unknown, code: unknown, message: string): string | undefined {
  if (typeof reason !== 'string' || !(reason in codeOfReason))
    return `unlisted reason ${JSON.stringify(reason)}: ${message}`;
  const wanted: unknown = codeOfReason[reason as Reason];
  if (wanted !== code) return `code ${String(code)} for ${reason}`;
  if (faults.includes(reason)) return `${reason}: ${message}`;
  // What the caller sent may be quoted; it is taken out before looking for what is ours.
  const own = message.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return leaks.test(own) ? `leak: ${message}` : undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
