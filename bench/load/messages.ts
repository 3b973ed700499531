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
  readonly id: number;
  readonly target: Target;
  readonly concurrency: number;
  readonly windowMs: number;
  /** Even when the window is over. */
  readonly minRequests: number;
  /** Without the limit of time that keeps one slow system from holding up a comparison. */
  readonly isPatient?: boolean;
  /** Rest between two requests of a lane; absent: none. */
  readonly pauseMs?: number;
}

/** What became of it. */
export interface LoadResult {
  readonly id: number;
  /** Of answered requests. */
  readonly latenciesMs: readonly number[];
  /** Refused because too busy (429, 503, RESOURCE_EXHAUSTED, UNAVAILABLE). */
  readonly refused: number;
  /** Anything else that is no good answer. */
  readonly failed: number;
  /** From the first request to the last answer. */
  readonly elapsedMs: number;
  /** The first failure, in words. */
  readonly failure?: string;
  /** The first good answer, for finding out what a system found. */
  readonly sample?: Uint8Array;
}

/** Sends one prepared request. */
export interface Sender {
  send(turn: number): Promise<Outcome>;
}

export type Outcome =
  | { readonly kind: 'answered'; readonly body: Buffer }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly why: string };
