/** A company's score as it is stored. */
export interface StoredScore {
  /** 0..1; undefined if never configured. */
  readonly score: number | undefined;
}

/** Where detection scores are kept. Every method throws a Refusal when the store fails. */
export interface ScoreStore {
  /** Undefined if no company has this name. */
  get(company: string): Promise<StoredScore | undefined>;
  /**
   * Once this returns, the score is durable and is what every replica reads next.
   * False if no company has this name.
   */
  set(company: string, score: number): Promise<boolean>;
}
