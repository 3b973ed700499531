import { readFile } from 'node:fs/promises';
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { FaceDetectionServiceClient } from '../generated/imageanalysis/v1/face_detection.js';
import { MeterReadingServiceClient } from '../generated/imageanalysis/v1/meter_reading.js';

// Finds the faces of one picture and reads the meter of another over gRPC:
//   APIKEY=… node dist/samples/grpc-client.js 127.0.0.1:50051 samples/astronaut.jpg samples/meter.jpg

const [address = '', portrait = '', meter = ''] = process.argv.slice(2);

const metadata = new Metadata();
metadata.set('apikey', process.env['APIKEY'] ?? '');

const faceDetection = new FaceDetectionServiceClient(address, credentials.createInsecure());
const wanted = { image: await readFile(portrait), company: '', landmarks: false, details: false };
faceDetection.detectAllFaces(wanted, metadata, (error, response) => {
  faceDetection.close();
  if (error) return fail(error);
  for (const face of response.faces)
    process.stdout.write(`face ${face.detectionScore} ${JSON.stringify(face.boundingBox)}\n`);
});

const meterReading = new MeterReadingServiceClient(address, credentials.createInsecure());
meterReading.readMeter({ image: await readFile(meter) }, metadata, (error, response) => {
  meterReading.close();
  if (error) return fail(error);
  process.stdout.write(`meter ${response.value} ${response.unit} ${response.status}\n`);
});

function fail(error: ServiceError): void {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
