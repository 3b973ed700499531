import { timingSafeEqual } from 'node:crypto';
import express from 'express';
import { createCoreClient } from 'image-analysis/core-client';
import { createRouter } from 'image-analysis/router';

/**
 * A web server of your own with the operations below `/images`, behind your own middleware: here, whoever has the
 * token of the house needs no API key.
 *
 * @param coreAddress gRPC name such as `dns:///127.0.0.1:50051`
 */
export function createOwnServer(coreAddress: string, token: string, apiKey: string) {
  const app = express();
  // Whose `x-forwarded-for` is trusted, as everywhere in Express.
  app.set('trust proxy', 'loopback');

  app.use('/images', (request, response, next) => {
    const given = Buffer.from(request.get('x-house-token') ?? '');
    const wanted = Buffer.from(token);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return void response.sendStatus(401);
    request.headersDistinct['apikey'] = [apiKey];
    next();
  });
  app.use('/images', createRouter({ core: createCoreClient(coreAddress) }));

  app.get('/', (_request, response) => void response.send('my own page'));
  return app;
}
