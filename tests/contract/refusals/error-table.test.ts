import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { readProtos } from '../../../rest-facade/protos/rpcs.js';
import { codeOfReason } from '../../../runtime/errors/reasons.js';

// One table of errors in two places: the proto enum and the code.

test("the proto's options name the codes", () => {
  const root = readProtos(['imageanalysis/v1/errors.proto']);
  const { valuesOptions } = root.lookupEnum('imageanalysis.v1.ErrorReason');
  for (const [reason, code] of Object.entries(codeOfReason))
    assert.equal(valuesOptions?.[`ERROR_REASON_${reason}`]?.['(grpc_code)'], status[code], reason);
});
