import { renderConfiguration } from './render-configuration.js';
import { renderErrors } from './render-errors.js';
import { renderRestReference } from './render-rest-reference.js';

/** The documents that are made of the protos and the settings, with what makes them. */
export const references: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': () => `${renderConfiguration()}\n`,
  'docs/errors.md': renderErrors,
  'docs/rest.md': () => `${renderRestReference()}\n`,
};
