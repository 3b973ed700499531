import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pino } from 'pino';
import { createConfig } from '../../rest-facade/config.js';
import { startRestFacade } from '../../rest-facade/server/start-rest-facade.js';
import { startTestCore } from '../helpers/service/start-core.js';

// `node dist/tests/tls/main.js FOLDER COMMAND [ARGUMENT …]` starts core and facade with the certificates of
// that folder, runs the command with their addresses in its environment, and stops them. Its exit code
// is the command's.

const [folder, command, ...args] = process.argv.slice(2);
if (folder === undefined || command === undefined) throw new Error('want a folder and a command');
const [certFile, keyFile] = [path.join(folder, 'server.crt'), path.join(folder, 'server.key')];

const closers: (() => unknown)[] = [];
const lifetime = { after: (close: () => unknown) => void closers.unshift(close) };
try {
  const core = await startTestCore(lifetime, { CORE_TLS_CERT: certFile, CORE_TLS_KEY: keyFile });
  const facade = await startRestFacade({
    config: createConfig({
      REST_PORT: '0',
      REST_TLS_CERT: certFile,
      REST_TLS_KEY: keyFile,
      REST_CORE_ADDRESS: `localhost:${core.port}`,
      REST_CORE_TLS_CA: path.join(folder, 'ca.crt'),
    }),
    log: pino({ level: 'silent' }),
  });
  closers.unshift(() => facade.close());
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...process.env, TLS_CHECK_CORE: `localhost:${core.port}`, TLS_CHECK_FACADE: `localhost:${facade.port}` },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  for (const close of closers) await close();
}
