import type { Knex } from 'knex';

/** One step of the schema. A published step is never edited; a change is a new step. */
export interface Migration {
  readonly name: string;
  up(db: Knex): Promise<void>;
}
