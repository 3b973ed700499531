import {
  type AdminServiceServer,
  AdminServiceService,
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
import type { AdminHandlers } from '../features/admin/service.js';
import { bidi, type StreamSettings } from '../rpc/adapters/bidi.js';
import type { CallSettings } from '../rpc/adapters/open-call.js';
import { streamed } from '../rpc/adapters/streamed.js';
import { unary } from '../rpc/adapters/unary.js';
import type { Service } from '../rpc/grpc-server.js';
import type { KeyedService } from '../rpc/interceptors/check-keys.js';
import type { Handlers } from './handlers.js';

/** The services of the public port. */
export function createServices(
  { face, scoreConfig, meter }: Handlers,
  settings: StreamSettings,
): (Service & KeyedService)[] {
  return [
    {
      definition: FaceDetectionServiceService,
      operation: Operation.FACE_DETECTION,
      isQueued: true,
      implementation: {
        detectSingleFace: unary(face.detectSingleFace, settings),
        detectAllFaces: unary(face.detectAllFaces, settings),
        streamDetectFaces: bidi(streamed(face.detectAllFaces), settings),
      } satisfies Implementation<FaceDetectionServiceServer>,
    },
    {
      definition: ScoreConfigServiceService,
      operation: Operation.SCORE_CONFIG,
      isQueued: false,
      implementation: {
        getDetectionScore: unary(scoreConfig.getDetectionScore, settings),
        setDetectionScore: unary(scoreConfig.setDetectionScore, settings),
      } satisfies Implementation<ScoreConfigServiceServer>,
    },
    {
      definition: MeterReadingServiceService,
      operation: Operation.METER_READING,
      isQueued: true,
      implementation: {
        readMeter: unary(meter.readMeter, settings),
        streamReadMeters: bidi(streamed(meter.readMeter), settings),
      } satisfies Implementation<MeterReadingServiceServer>,
    },
  ];
}

/** The service of the administration port. */
export function createAdminService(handlers: AdminHandlers, settings: CallSettings): Service[] {
  return [
    {
      definition: AdminServiceService,
      implementation: {
        createApiKey: unary(handlers.createApiKey, settings),
        listApiKeys: unary(handlers.listApiKeys, settings),
        revokeApiKey: unary(handlers.revokeApiKey, settings),
        createCompany: unary(handlers.createCompany, settings),
        setCompanyPassword: unary(handlers.setCompanyPassword, settings),
        listCompanies: unary(handlers.listCompanies, settings),
        deleteCompany: unary(handlers.deleteCompany, settings),
      } satisfies Implementation<AdminServiceServer>,
    },
  ];
}

/** ts-proto's server interface without its index signature, so that a missing method is an error. */
type Implementation<Server> = {
  [Method in keyof Server as string extends Method ? never : Method]: Server[Method];
};
