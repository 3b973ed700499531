import { createServer } from 'node:http';
import busboy from 'busboy';

/** The thinnest server around a library: the part `file` of a form in, JSON out; GET says it is there. */
export function serve(answer) {
  const server = createServer((request, response) => {
    if (request.method === 'GET') return response.end('ok');
    readFile(request)
      .then(answer)
      .then(
        (result) => response.end(JSON.stringify(result)),
        (error) => {
          response.statusCode = 500;
          response.end(String(error));
        },
      );
  });
  server.listen(Number(process.env.PORT), '127.0.0.1');
}

function readFile(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const form = busboy({ headers: request.headers });
    form.on('file', (_name, file) => file.on('data', (chunk) => chunks.push(chunk)));
    form.on('close', () => resolve(Buffer.concat(chunks)));
    form.on('error', reject);
    request.pipe(form);
  });
}
