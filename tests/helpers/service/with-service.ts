import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { findFreePorts } from '../../../launcher/ports.js';
import { stop } from '../command-line.js';
import { launchService } from './launched-service.js';

// `node dist/tests/helpers/service/with-service.js COMMAND [ARGUMENT …]` starts the service on free ports with a
// store of its own, runs the command with the addresses and keys in its environment, and stops the
// service. Its exit code is the command's.

const [command, ...args] = process.argv.slice(2);
if (command === undefined) stop('want a command to run');

const [adminPort] = await findFreePorts(1);
const adminKey = 'admin-key-of-the-examples';
const service = await launchService({
  environment: {
    CORE_ADMIN_PORT: String(adminPort),
    CORE_ADMIN_KEY: adminKey,
    CORE_LOG_LEVEL: 'warn',
    REST_LOG_LEVEL: 'warn',
  },
  log: (line) => process.stderr.write(`launcher: ${line}\n`),
});
try {
  process.exitCode = await run(command, args, {
    IMAGE_ANALYSIS_GRPC: service.grpcAddress,
    IMAGE_ANALYSIS_REST: service.restUrl,
    IMAGE_ANALYSIS_APIKEY: service.demo.apiKey,
    IMAGE_ANALYSIS_COMPANY: service.demo.company,
    IMAGE_ANALYSIS_PASSWORD: service.demo.password,
    IMAGE_ANALYSIS_ADMIN: `127.0.0.1:${adminPort}`,
    IMAGE_ANALYSIS_ADMINKEY: adminKey,
    IMAGE_ANALYSIS_SAMPLES: path.resolve('samples'),
  });
} finally {
  await service.stop();
}

async function run(file: string, fileArgs: string[], settings: NodeJS.ProcessEnv) {
  const child = spawn(file, fileArgs, { stdio: 'inherit', env: { ...process.env, ...settings } });
  process.once('exit', () => child.kill());
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
