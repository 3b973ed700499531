import {
  type AdminServiceServer,
  AdminServiceService,
  type ApiKey,
  Operation,
} from '../../generated/imageanalysis/v1/admin.js';
import {
  type FaceDetectionServiceServer,
  FaceDetectionServiceService,
} from '../../generated/imageanalysis/v1/face_detection.js';
import {
  type MeterReadingServiceServer,
  MeterReadingServiceService,
} from '../../generated/imageanalysis/v1/meter_reading.js';
import {
  type ScoreConfigServiceServer,
  ScoreConfigServiceService,
} from '../../generated/imageanalysis/v1/score_config.js';
import { type VersionServiceServer, VersionServiceService } from '../../generated/imageanalysis/v1/version.js';
import { readVersion } from '../../runtime/process/version.js';
import type { Access } from '../access/create-access.js';
import type { Methods } from '../common/handlers.js';
import { createAdminHandlers } from '../features/admin/service.js';
import { createFaceDetectionHandlers } from '../features/face/service.js';
import { createMeterReadingHandlers } from '../features/meter/service.js';
import { createScoreConfigHandlers, createThresholdResolver } from '../features/score-config/service.js';
import { bidi } from '../rpc/adapters/bidi.js';
import { unaryAll } from '../rpc/adapters/unary.js';
import type { RpcSettings, Service } from '../rpc/grpc-server.js';
import type { KeyedService } from '../rpc/interceptors/check-keys.js';
import type { AnalysisModels } from './analysis-models.js';
import type { CoreConfig } from './config.js';
import type { AnalysisPool } from './observe-pool.js';

interface ServiceDependencies {
  readonly config: CoreConfig;
  readonly models: AnalysisModels;
  readonly access: Access;
  readonly pool: AnalysisPool;
}

/** The services of the public port. It combines the features, which do not know each other. */
export function createServices(deps: ServiceDependencies, settings: RpcSettings): (Service & KeyedService)[] {
  const { config, models, pool } = deps;
  const { companies, companyStore: scores } = deps.access;
  const defaultScore = config.CORE_DEFAULT_SCORE ?? models.face.defaultScore;
  const limits = {
    maxBytes: config.CORE_MAX_IMAGE_BYTES,
    maxPixels: config.CORE_MAX_IMAGE_PIXELS,
    maxSide: config.CORE_MAX_IMAGE_SIDE,
    decodesHeic: config.CORE_HEIC,
  };
  const face = createFaceDetectionHandlers({
    pool,
    limits,
    resolveThreshold: createThresholdResolver(scores, defaultScore),
    redactionScore: Math.min(defaultScore, models.face.redactionScore),
    model: models.face.entry,
  });
  const scoreConfig = createScoreConfigHandlers({ scores, companies, defaultScore });
  const meter = createMeterReadingHandlers({
    pool,
    limits,
    checkBelow: config.CORE_METER_CHECK_BELOW ?? models.meter.rules.okConfidence,
    model: models.meter.read,
  });
  const { locate, refine, read, mark } = models.meter;
  const versions = { version: readVersion(), models: [models.face.entry, locate, refine, read, mark] };
  return [
    {
      definition: FaceDetectionServiceService,
      operation: Operation.FACE_DETECTION,
      isQueued: true,
      implementation: {
        ...unaryAll(face, settings),
        streamDetectFaces: bidi(face.detectAllFaces, settings),
        streamRedactFaces: bidi(face.redactFaces, settings),
      } satisfies Methods<FaceDetectionServiceServer>,
    },
    {
      definition: ScoreConfigServiceService,
      operation: Operation.SCORE_CONFIG,
      isQueued: false,
      implementation: unaryAll(scoreConfig, settings, ({ company }) => ({
        company,
      })) satisfies Methods<ScoreConfigServiceServer>,
    },
    {
      definition: MeterReadingServiceService,
      operation: Operation.METER_READING,
      isQueued: true,
      implementation: {
        ...unaryAll(meter, settings),
        streamReadMeters: bidi(meter.readMeter, settings),
      } satisfies Methods<MeterReadingServiceServer>,
    },
    {
      definition: VersionServiceService,
      operation: undefined,
      isQueued: false,
      implementation: unaryAll(
        { getVersion: () => Promise.resolve(versions) },
        settings,
      ) satisfies Methods<VersionServiceServer>,
    },
  ];
}

export function createAdminService(access: Access, settings: RpcSettings): Service {
  const handlers = createAdminHandlers(access);
  return {
    definition: AdminServiceService,
    implementation: unaryAll(handlers, settings, ({ name }, { apiKey }) => ({
      company: name,
      api_key_id: (apiKey as Partial<ApiKey> | undefined)?.id,
    })) satisfies Methods<AdminServiceServer>,
  };
}
