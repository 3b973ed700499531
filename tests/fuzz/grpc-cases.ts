import type protobuf from 'protobufjs';
import { loadRpcs } from '../../rest-facade/protos/rpcs.js';
import type { HttpMaterial } from './http-cases.js';
import { mutate, strangeText } from './mutate.js';
import type { HostilePicture } from './pictures.js';
import type { Random } from './random.js';

/** One unary call with the bytes of its message, and what to call it in a report. */
export interface GrpcCase {
  readonly kind: string;
  readonly path: string;
  readonly message: Buffer;
  readonly picture?: Buffer | undefined;
}

const rpcs = loadRpcs().filter(({ requestStream }) => !requestStream);
const numbers = [0, -0, 0.5, 1, 1.000001, -1, NaN, Infinity, 1e308, 5e-324];

/** A call of the core whose message is strange inside, or damaged as a whole. */
export function createGrpcCase(random: Random, { pictures }: HttpMaterial): GrpcCase {
  const rpc = random.pick([...rpcs, undefined]);
  if (rpc === undefined)
    return { kind: 'gRPC, no such method', path: '/imageanalysis.v1.No/Such', message: random.bytes(20) };
  let picture: Buffer | undefined;
  const damage = ({ bytes }: HostilePicture): Buffer => (picture = random.chance(0.8) ? mutate(bytes, random) : bytes);
  const valueOf = ({ name, type, repeated }: protobuf.Field): unknown => {
    if (type === 'bytes') {
      const one = () => damage(rpc.path.includes('Meter') ? pictures.forMeter(random) : pictures.forFaces(random));
      return repeated ? Array.from({ length: random.int(10) }, one) : one();
    }
    // The password of a company that may be is hashed, for a tenth of a second.
    if (name === 'company' && random.chance(0.02)) return 'demo';
    // About one of them: most strange values are refused before a picture is looked at.
    if (!random.chance(1 / rpc.request.fieldsArray.length)) return undefined;
    if (type === 'string') return strangeText(random);
    if (type === 'bool') return random.chance(0.5);
    return type === 'double' ? random.pick(numbers) : random.int(4000);
  };
  const { request } = rpc;
  const fields = request.fieldsArray.map((field) => [field.name, valueOf(field)] as const);
  const given = Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  const whole = Buffer.from(request.encode(request.fromObject(given)).finish());
  const message = random.chance(0.4) ? mutate(whole, random) : whole;
  return { kind: `gRPC ${rpc.method.name}`, path: rpc.path, message, picture };
}
