import path from 'node:path';
import type { Launched } from './launch.js';

/**
 * First steps for a newcomer. Every line that starts with two spaces can be pasted.
 * @param env says where the keys are: in the folder of the SQLite file, or in PostgreSQL, whose URL contains a password
 *   and is never printed
 */
export function welcomeText(
  { restUrl, grpcAddress }: Pick<Launched, 'restUrl' | 'grpcAddress'>,
  root: string,
  { CORE_DATA_DIR, DATABASE_URL }: Readonly<NodeJS.ProcessEnv>,
): string {
  const dataDir = path.resolve(CORE_DATA_DIR || 'data');
  const folder = DATABASE_URL || dataDir === path.join(root, 'data') ? '' : `CORE_DATA_DIR=${quote(dataDir)} `;
  const admin = `${folder}npm run --silent admin --`;
  const begin = DATABASE_URL ? '; export the same DATABASE_URL there first.\n' : '. ';
  return `
Serving REST on ${restUrl} and gRPC on ${grpcAddress}. Ctrl-C stops both.
Open the REST address in a browser for a web console.

Try it in another terminal${begin}The first two lines change to this folder and create an API key, unless
APIKEY has one (on the first start, the ready line below shows one too). The others detect a face and read a water meter,
the last one over gRPC:

  cd ${quote(root)}
  export APIKEY=\${APIKEY:-$(${admin} keys create --label try-out | head -n 1)}
  curl -H "apikey: $APIKEY" -F crop=false -F file=@samples/astronaut.jpg ${restUrl}/face_detect_single
  curl -H "apikey: $APIKEY" -F crop=false -F file=@samples/astronaut.jpg ${restUrl}/face_detect_multi
  curl -H "apikey: $APIKEY" -F file=@samples/meter.jpg ${restUrl}/meter-number-ocr/file
  node dist/samples/grpc-client.js ${grpcAddress} samples/astronaut.jpg samples/meter.jpg
`;
}

/** The one line for scripts: `ready rest=… grpc=…`, and on a first start the demo credentials. */
export function readyLine({ restUrl, grpcAddress, demo }: Pick<Launched, 'restUrl' | 'grpcAddress' | 'demo'>): string {
  const shownOnce = demo && ` apikey=${demo.apiKey} company=${demo.company} password=${demo.password}`;
  return `ready rest=${restUrl} grpc=${grpcAddress}${shownOnce ?? ''}`;
}

/** For a POSIX shell; plain words stay plain. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
