import type { LoadResult, Outcome, Sender } from './messages.js';

/** What became of the requests of one order. */
interface Tally {
  /** Sends one and counts what became of it, which it also gives. */
  send(sender: Sender, turn: number): Promise<Outcome['kind']>;
  readonly failed: number;
  result(times: Pick<LoadResult, 'elapsedMs' | 'sendingMs' | 'unanswered'>): LoadResult;
}

/** Far beyond every deadline: an answer that never comes must not keep a run from ending. */
const giveUpMs = 120_000;

async function bounded(sending: Promise<Outcome>): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    const why = `no answer in ${giveUpMs / 1_000} s`;
    timer = setTimeout(resolve, giveUpMs, { kind: 'failed', why });
  });
  try {
    return await Promise.race([sending, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function createTally(): Tally {
  const latenciesMs: number[] = [];
  const answeredAtMs: number[] = [];
  const refusalsMs: number[] = [];
  const refusals: Record<string, number> = {};
  let failed = 0;
  let failure: string | undefined;
  let sample: Uint8Array | undefined;
  return {
    async send(sender, turn) {
      const sentAt = performance.now();
      const outcome = await bounded(sender.send(turn));
      const tookMs = performance.now() - sentAt;
      if (outcome.kind === 'answered') {
        latenciesMs.push(tookMs);
        answeredAtMs.push(Date.now());
        if (turn === 0) sample = outcome.body;
      } else if (outcome.kind === 'refused') {
        refusalsMs.push(tookMs);
        refusals[outcome.how] = (refusals[outcome.how] ?? 0) + 1;
      } else {
        failed += 1;
        failure ??= outcome.why;
      }
      return outcome.kind;
    },
    get failed() {
      return failed;
    },
    result: (times) => ({
      latenciesMs,
      answeredAtMs,
      refusalsMs,
      refusals,
      refused: refusalsMs.length,
      failed,
      ...times,
      ...(failure !== undefined && { failure }),
      ...(sample && { sample }),
    }),
  };
}
