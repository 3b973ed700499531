import { type Reason, RefusedError } from './refused-error.js';

/** What became of one picture of a batch. */
export interface BatchLine<Answer> {
  /** Its place among the pictures that were sent, from 0. */
  readonly index: number;
  /** Without folders, and with `"` and line ends as forms send them, `%22` and `%0A`; `index` says which picture it is. */
  readonly filename: string;
  /** Undefined if it was refused. */
  readonly answer?: Answer;
  readonly refusal?: RefusedError;
}

/** Reads the lines of a batch as they come. @throws RefusedError if the batch broke off */
export async function* readBatchLines<Answer>(
  body: ReadableStream<Uint8Array>,
  requestId: string | undefined,
): AsyncGenerator<BatchLine<Answer>> {
  for await (const text of linesOf(body)) {
    const { index, filename, ...rest } = JSON.parse(text) as SentLine;
    const refusal = typeof rest.code === 'string' ? toRefused(rest, requestId) : undefined;
    if (index === undefined) throw refusal ?? new Error('the batch has a line without index');
    yield { index, filename, ...(refusal ? { refusal } : { answer: rest as Answer }) };
  }
}

interface SentLine {
  readonly index?: number;
  readonly filename: string;
  readonly code?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: Readonly<Record<string, string>>;
}

function toRefused({ message = '', reason, code = 'UNKNOWN', details = {} }: Partial<SentLine>, requestId?: string) {
  const retryAfterSeconds = details['retry_after'] === undefined ? undefined : Number(details['retry_after']);
  return new RefusedError(message, {
    reason: reason as Reason | undefined,
    code,
    details,
    retryAfterSeconds,
    requestId,
  });
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  // Of the line that has not ended.
  let rest = '';
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const texts = decoder.decode(next.value, { stream: true }).split('\n');
    texts[0] = rest + texts[0];
    rest = texts.pop() ?? '';
    yield* texts;
  }
  if (rest !== '') throw new Error('the batch ends within a line');
}
