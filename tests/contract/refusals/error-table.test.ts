import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { ErrorReason } from '../../../generated/imageanalysis/v1/errors.js';
import { readProtos } from '../../../rest-facade/protos/rpcs.js';
import { toHttpStatus } from '../../../rest-facade/response/http-error.js';
import { codeOfReason, type Reason } from '../../../runtime/errors/reasons.js';
import { grpcCodeOf } from '../../helpers/net/grpc-code-of.js';

// One table of errors in three places: the proto enum, the code and the documentation.

const root = new URL('../../../../', import.meta.url);
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

test('the documentation lists every reason with its code and HTTP status', async () => {
  const page = await readFile(new URL('docs/errors.md', root), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) +\| ([A-Z_]+) +\| ([A-Z0-9_]+) +\|/gm)];
  const statuses = rows.map(([, http]) => Number(http));
  assert.deepEqual(
    statuses,
    statuses.toSorted((one, other) => one - other),
  );
  assert.deepEqual(
    rows.map(([, http, code, reason]) => `${reason} ${code} ${http}`).sort(),
    reasons
      .map((reason) => {
        const code = codeOfReason[reason];
        return `${reason} ${status[code]} ${toHttpStatus(code, reason)}`;
      })
      .sort(),
  );
});
