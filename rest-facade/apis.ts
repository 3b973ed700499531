/** An API of the facade, on a port of its own. */
export interface Api {
  readonly protoFiles: readonly string[];
  /** How its document introduces it. */
  readonly title: string;
  readonly summary: string;
  /** File in `web/docs/`. */
  readonly introduction: string;
  /** Whether its port is for browsers too: with pages, Connect and gRPC-Web. */
  readonly isForBrowsers: boolean;
}

export const publicApi: Api = {
  protoFiles: [
    'imageanalysis/v1/face_detection.proto',
    'imageanalysis/v1/score_config.proto',
    'imageanalysis/v1/meter_reading.proto',
    'imageanalysis/v1/version.proto',
  ],
  title: 'Image analysis',
  summary: 'Detects faces and reads water meters in pictures.',
  introduction: 'introduction.md',
  isForBrowsers: true,
};

export const adminApi: Api = {
  protoFiles: ['imageanalysis/v1/admin.proto'],
  title: 'Image analysis: administration',
  summary: 'Issues API keys, registers companies and sets their scores.',
  introduction: 'administration.md',
  isForBrowsers: false,
};
