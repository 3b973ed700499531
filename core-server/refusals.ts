import { ServiceError } from './errors.js';

// The refusals that more than one feature gives, each worded once.

/** A field that must be there is not. */
export function missingField(field: string, wish: string): ServiceError {
  return new ServiceError('MISSING_FIELD', `${field} is missing, want ${wish}`, {
    details: { field },
  });
}

const maxShownLength = 128;

/** A text is not what its field takes. Not for secrets: the message repeats it. */
export function invalidField(field: string, sent: string, wish: string): ServiceError {
  const value = sent.length > maxShownLength ? `${sent.slice(0, maxShownLength)}…` : sent;
  return new ServiceError('INVALID_FIELD', `${field} is ${JSON.stringify(value)}, want ${wish}`, {
    details: { field, value },
  });
}

/** The process is about to stop. */
export function shuttingDown(whatToDo = 'try again'): ServiceError {
  return new ServiceError('SHUTTING_DOWN', `the service is shutting down, ${whatToDo}`);
}
