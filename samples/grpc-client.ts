import { readFile } from 'node:fs/promises';
import { credentials, Metadata } from '@grpc/grpc-js';
import { FaceDetectionServiceClient } from '../generated/imageanalysis/v1/face_detection.js';
import { MeterReadingServiceClient } from '../generated/imageanalysis/v1/meter_reading.js';

// Finds the faces of one picture and reads the meter of another over gRPC:
//   APIKEY=… node dist/samples/grpc-client.js 127.0.0.1:50051 samples/astronaut.jpg samples/meter.jpg

const [address, portraitFile, meterFile] = process.argv.slice(2);
const apiKey = (process.env['APIKEY'] ?? '').trim();
// What cannot be sent is refused here: the library would print it, and it is a secret.
if (!address || !portraitFile || !meterFile || !/^[!-~]+$/.test(apiKey)) {
  process.stderr.write('usage: APIKEY=… node grpc-client.js HOST:PORT PORTRAIT METER\n');
  process.exit(2);
}
const files = [readFile(portraitFile), readFile(meterFile)] as const;
const [portrait, meter] = await Promise.all(files).catch((error: Error) => {
  fail(error);
  process.exit();
});

const metadata = new Metadata();
metadata.set('apikey', apiKey);

const faceDetection = new FaceDetectionServiceClient(address, credentials.createInsecure());
const wanted = { image: portrait, company: '', landmarks: false, details: false };
faceDetection.detectAllFaces(wanted, metadata, (error, response) => {
  faceDetection.close();
  if (error) return fail(error);
  for (const face of response.faces)
    process.stdout.write(`face ${face.detectionScore} ${JSON.stringify(face.boundingBox)}\n`);
});

const meterReading = new MeterReadingServiceClient(address, credentials.createInsecure());
meterReading.readMeter({ image: meter }, metadata, (error, response) => {
  meterReading.close();
  if (error) return fail(error);
  process.stdout.write(`meter ${response.value} ${response.unit} ${response.status}\n`);
});

function fail(error: Error): void {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
