/** Where requests go, and how. */
export type Target =
  | {
      readonly kind: 'grpc';
      /** `host:port` */
      readonly address: string;
      /** `/package.Service/Method` */
      readonly path: string;
      readonly apiKey: string;
      /** Request messages without their five bytes of frame, one a file. */
      readonly messages: readonly string[];
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Whole bodies, one a file. */
      readonly bodies: readonly string[];
    };

/** What the load process is asked: keep so many requests under way for so long. */
export interface LoadOrder {
  readonly target: Target;
  readonly concurrency: number;
  readonly windowMs: number;
  /** Even when the window is over. */
  readonly minRequests: number;
  /** Without the limit of time that keeps one slow system from holding up a comparison. */
  readonly isPatient?: boolean;
}

/** So many requests a second, whatever becomes of those before. */
export interface OpenLoadOrder {
  readonly target: Target;
  readonly ratePerSecond: number;
  readonly windowMs: number;
}

/** What became of it. */
export interface LoadResult {
  /** Of answered requests. */
  readonly latenciesMs: readonly number[];
  /** When they were answered, milliseconds since the epoch. */
  readonly answeredAtMs: readonly number[];
  /** Refused because too busy (429, 503, RESOURCE_EXHAUSTED, UNAVAILABLE). */
  readonly refused: number;
  readonly refusalsMs: readonly number[];
  /** How they were refused, in words, and how often. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Anything else that is no good answer. */
  readonly failed: number;
  /** From the first request to the last answer. */
  readonly elapsedMs: number;
  /** From the first request to the last one. */
  readonly sendingMs: number;
  /** Still without an answer when the wait for them was over. */
  readonly unanswered: number;
  /** The first failure, in words. */
  readonly failure?: string;
  /** The answer to the first request, if it is a good one: what a system found in the first picture. */
  readonly sample?: Uint8Array;
}

/** Sends one prepared request. */
export interface Sender {
  send(turn: number): Promise<Outcome>;
}

export type Outcome =
  | { readonly kind: 'answered'; readonly body: Buffer }
  /** `how`: status, and whether it says when to try again. */
  | { readonly kind: 'refused'; readonly how: string }
  | { readonly kind: 'failed'; readonly why: string };
