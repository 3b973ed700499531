import {
  type AdminServiceServer,
  AdminServiceService,
} from '../generated/imageanalysis/v1/admin.js';
import {
  type FaceDetectionServiceServer,
  FaceDetectionServiceService,
} from '../generated/imageanalysis/v1/face_detection.js';
import {
  type MeterReadingServiceServer,
  MeterReadingServiceService,
} from '../generated/imageanalysis/v1/meter_reading.js';
import {
  type ScoreConfigServiceServer,
  ScoreConfigServiceService,
} from '../generated/imageanalysis/v1/score_config.js';
import type { AdminHandlers } from './admin/service.js';
import { bidi, type StreamSettings } from './grpc/bidi.js';
import type { Service } from './grpc/grpc-server.js';
import type { CallSettings } from './grpc/open-call.js';
import { streamed } from './grpc/stream.js';
import { unary } from './grpc/unary.js';
import type { Handlers } from './handlers.js';

/** The services of the public port. */
export function createServices(
  { face, scoreConfig, meter }: Handlers,
  settings: StreamSettings,
): Service[] {
  return [
    {
      definition: FaceDetectionServiceService,
      implementation: {
        detectSingleFace: unary((request, call) => face.detectSingleFace(request, call), settings),
        detectAllFaces: unary((request, call) => face.detectAllFaces(request, call), settings),
        streamDetectFaces: bidi(
          streamed((request, call, options) => face.detectAllFaces(request, call, options)),
          settings,
        ),
      } satisfies Implementation<FaceDetectionServiceServer>,
    },
    {
      definition: ScoreConfigServiceService,
      implementation: {
        getDetectionScore: unary(
          (request, call) => scoreConfig.getDetectionScore(request, call),
          settings,
        ),
        setDetectionScore: unary(
          (request, call) => scoreConfig.setDetectionScore(request, call),
          settings,
        ),
      } satisfies Implementation<ScoreConfigServiceServer>,
    },
    {
      definition: MeterReadingServiceService,
      implementation: {
        readMeter: unary((request, call) => meter.readMeter(request, call), settings),
        streamReadMeters: bidi(
          streamed((request, call, options) => meter.readMeter(request, call, options)),
          settings,
        ),
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
        createApiKey: unary((request) => handlers.createApiKey(request), settings),
        listApiKeys: unary((request) => handlers.listApiKeys(request), settings),
        revokeApiKey: unary((request) => handlers.revokeApiKey(request), settings),
        createCompany: unary((request) => handlers.createCompany(request), settings),
        setCompanyPassword: unary((request) => handlers.setCompanyPassword(request), settings),
        listCompanies: unary((request) => handlers.listCompanies(request), settings),
        deleteCompany: unary((request) => handlers.deleteCompany(request), settings),
      } satisfies Implementation<AdminServiceServer>,
    },
  ];
}

/** ts-proto's server interface without its index signature, so that a missing method is an error. */
type Implementation<Server> = {
  [Method in keyof Server as string extends Method ? never : Method]: Server[Method];
};
