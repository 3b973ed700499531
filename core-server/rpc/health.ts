import type { Server } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { forgetUnwatched } from './grpc-js-patches/forget-unwatched.js';

/** What the health service reports for all services together, and for each. */
export interface Health {
  set(status: 'SERVING' | 'NOT_SERVING'): void;
}

/** Serves the health of these services, and of the server as a whole under the name ''. */
export function serveHealth(server: Server, serviceNames: readonly string[]): Health {
  const health = new HealthImplementation();
  forgetUnwatched(health);
  health.addToServer(server);
  return {
    set(status) {
      for (const name of ['', ...serviceNames]) health.setStatus(name, status);
    },
  };
}
