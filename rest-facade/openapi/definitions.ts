import { createRequire } from 'node:module';
import { status } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { codeOfReason, type Reason } from '../../runtime/errors/reasons.js';
import { protoDir, protoFiles } from '../protos.js';

/** The messages, methods and error reasons of the protos, with the comments that document them. */
export interface Definitions {
  /** @param name with its package: `imageanalysis.v1.FaceDetectionService` */
  service(name: string): protobuf.Service;
  /** @param name `imageanalysis.v1.FaceDetectionService.DetectSingleFace` */
  method(name: string): Method;
  /** Error reasons without their prefix, in the order of the proto. */
  readonly reasons: readonly ErrorReason[];
}

/** An RPC with its messages. */
export interface Method {
  readonly comment: string;
  readonly request: protobuf.Type;
  readonly response: protobuf.Type;
}

/** Why a call is refused. */
export interface ErrorReason {
  readonly name: Reason;
  /** Name of the gRPC code it comes with. */
  readonly code: string;
  readonly comment: string;
}

/**
 * Reads the protos a second time, because proto-loader drops their comments.
 * @throws Error when one cannot be read
 */
export function loadDefinitions(): Definitions {
  const root = readProtos([...protoFiles, 'imageanalysis/v1/errors.proto']);
  return {
    service: (name) => root.lookupService(name),
    method(name) {
      const [, serviceName = '', methodName = ''] = /^(.*)\.([^.]+)$/.exec(name) ?? [];
      const method = root.lookupService(serviceName).methods[methodName];
      const { resolvedRequestType: request, resolvedResponseType: response } = method ?? {};
      if (!request || !response) throw new Error(`the protos have no RPC "${name}"`);
      return { comment: commentOf(method), request, response };
    },
    reasons: readReasons(root.lookupEnum('imageanalysis.v1.ErrorReason')),
  };
}

/** Reads protos with their comments. @param files under the folder of the protos */
export function readProtos(files: readonly string[]): protobuf.Root {
  // As proto-loader does: adds the well-known type that options extend to protobufjs.
  const { nested } = createRequire(import.meta.url)(
    'protobufjs/google/protobuf/descriptor.json',
  ) as { nested: { google: { nested: object } } };
  protobuf.common('descriptor', nested.google.nested);
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) =>
    protobuf.common.get(target) === null ? `${protoDir}/${target}` : target;
  root.loadSync([...files], { keepCase: true, alternateCommentMode: true });
  root.resolveAll();
  return root;
}

/** The comment of anything in a proto, its lines joined into paragraphs. */
export function commentOf(object: { readonly comment?: string | null } | undefined): string {
  return unwrap(object?.comment ?? '');
}

/** Joins the lines of a paragraph; an empty line still ends one. */
export function unwrap(comment: string): string {
  return comment.replaceAll(/(?<!\n)\n(?!\n)/g, ' ').trim();
}

function readReasons({ values, comments }: protobuf.Enum): ErrorReason[] {
  return Object.keys(values)
    .filter((value) => values[value] !== 0)
    .map((value) => {
      const name = value.replace('ERROR_REASON_', '') as Reason;
      return { name, code: status[codeOfReason[name]], comment: unwrap(comments[value] ?? '') };
    });
}
