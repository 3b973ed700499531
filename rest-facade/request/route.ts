import type protobuf from 'protobufjs';
import { QueryParameter_Presence as Presence } from '../../generated/imageanalysis/v1/rest.js';
import type { Reason } from '../../runtime/errors/reasons.js';
import type { Rpc } from '../protos/rpcs.js';
import type { Field } from './field.js';

export type BodyRule =
  /** `json`: an object whose members fill the fields that nothing else fills. */
  { readonly kind: 'none' | 'json' } | PictureRule;

/**
 * A body with a picture, as a file of a form or as a data URL in a JSON object; form fields and members as
 * above. Or a body that is the picture, `raw`; the query string fills the other fields.
 */
export interface PictureRule {
  readonly kind: 'multipart' | 'data-url' | 'raw';
  /** Name of the file part or member; for refusals `body` where it has none. */
  readonly sentAs: string;
  /** Name of the field that it fills. */
  readonly field: string;
  /** The most files that a form may have; undefined if the field takes one. */
  readonly maxFiles: number | undefined;
}

export const hasPicture = (rule: BodyRule): rule is PictureRule => 'sentAs' in rule;

/** A query parameter that the proto names. */
interface QueryRule {
  readonly name: string;
  /** If undefined, only its presence counts. */
  readonly field: Field | undefined;
  readonly presence: Presence;
  /** What it is for, if its field does not say it. */
  readonly description: string;
}

/** One HTTP path of one RPC: everything in the options, checked and normalised once at startup. */
export interface Route {
  readonly rpc: Rpc;
  /** The messages of the RPC, or those for one picture of its streams. */
  readonly request: protobuf.Type;
  readonly response: protobuf.Type;
  /** Whether a form has many files, and each is a request of the RPC's stream. */
  readonly isBatch: boolean;
  readonly verb: string;
  readonly template: string;
  readonly body: BodyRule;
  readonly query: readonly QueryRule[];
  readonly headers: readonly { readonly name: string; readonly field: Field }[];
  /** Fields that path variables fill. */
  readonly pathFields: readonly Field[];
  /** Fields that the body, or without one the query string, fills under their own names. */
  readonly openFields: readonly Field[];
  /** Fields that are sent under another name than their own, with that name. */
  readonly sentAs: ReadonlyMap<string, string>;
  /** Every name that a query string, form or JSON object may have. */
  readonly names: ReadonlySet<string>;
  /** The same route for bodies of other content types. */
  readonly variants: readonly Route[];
  /** Reasons for refusing its RPC, beyond those that follow from how the request is sent. */
  readonly refusals: readonly Reason[];
}

/** Whether it chooses between routes with the same verb and path. */
export const isChoice = ({ presence }: QueryRule): boolean => presence !== Presence.UNSPECIFIED;
