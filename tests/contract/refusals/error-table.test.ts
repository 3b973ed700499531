import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { ErrorReason } from '../../../generated/imageanalysis/v1/errors.js';
import { readProtos } from '../../../rest-facade/protos/rpcs.js';
import { codeOfReason, type Reason } from '../../../runtime/errors/reasons.js';
import { grpcCodeOf } from '../../helpers/net/grpc-code-of.js';

// One table of errors in two places: the proto enum and the code.

const reasons = Object.keys(ErrorReason).slice(1, -1) as Reason[];

test('there is a code for exactly the reasons of the proto', () => {
  assert.deepEqual(Object.keys(codeOfReason).sort(), [...reasons].sort());
});

test("the proto's options name the codes", () => {
  const root = readProtos(['imageanalysis/v1/errors.proto']);
  const values = root.lookupEnum('imageanalysis.v1.ErrorReason');
  for (const reason of reasons)
    assert.equal(grpcCodeOf(values, `ERROR_REASON_${reason}`), status[codeOfReason[reason]], reason);
});
