import type { ServerCredentials } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type { Tracing } from '../../runtime/observe/tracing.js';
import type { Access } from '../access/create-access.js';
import type { ScoreStore } from '../features/score-config/store.js';
import type { WorkerPool } from '../inference/pool/worker-pool.js';
import type { AnalysisModels } from './analysis-models.js';
import type { AnalysisTasks } from './analysis-models.js';
import type { CoreConfig } from './config.js';
import type { Metrics } from './metrics.js';

/** What a core consists of, and what its services and ports are made from. */
export interface CoreParts extends Access {
  readonly config: CoreConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly models: AnalysisModels;
  readonly pool: WorkerPool<AnalysisTasks>;
  readonly scores: ScoreStore;
  /** Of the gRPC ports. */
  readonly credentials: ServerCredentials;
  /** `generated/descriptors.binpb`. */
  readonly descriptorSet: URL;
  /** Aborted when the core is about to stop. */
  readonly closing: AbortSignal;
}
