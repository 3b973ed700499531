import { renderGrpcReference } from './render-grpc-reference.js';
import { renderRestReference } from './render-rest-reference.js';

/** The documents that are made of the protos, with what makes them. */
export const references: Readonly<Record<string, () => string>> = {
  'docs/grpc.md': () => `${renderGrpcReference()}\n`,
  'docs/rest.md': () => `${renderRestReference()}\n`,
};
