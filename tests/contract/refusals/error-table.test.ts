import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { readProtos } from '../../../rest-facade/protos/rpcs.js';
import { codeOfReason } from '../../../runtime/errors/reasons.js';
import { grpcCodeOf } from '../../helpers/net/grpc-code-of.js';

// One table of errors in two places: the proto enum and the code.

test("the proto's options name the codes", () => {
  const root = readProtos(['imageanalysis/v1/errors.proto']);
  const values = root.lookupEnum('imageanalysis.v1.ErrorReason');
  for (const [reason, code] of Object.entries(codeOfReason))
    assert.equal(grpcCodeOf(values, `ERROR_REASON_${reason}`), status[code], reason);
});
