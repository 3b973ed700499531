import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showPath } from '../../../rest-facade/request/no-such-route.js';

test('a path is shown without what may be a password or a key', () => {
  const key = `ia_0123456789ab_${'aB-_9'.repeat(9)}`.slice(0, 59);
  const table: [string, string][] = [
    ['/face-detect_sinGle.~1', '/face-detect_sinGle.~1'],
    ['/face_detect_single/', '/face_detect_single/'],
    ['/face_config_score/secret', '/face_config_score/…'],
    ['/v1/companies/acme/password/secret', '/v1/…'],
    ['//secret', '//…'],
    ['/face_config_score&detection&company=demo&password=secret', '/face_config_score…'],
    ['/face_config_score%3Fpassword=secret', '/face_config_score…'],
    ['/a b', '/a…'],
    [`/${key}/x`, '/ia_0123456789ab_…'],
    [`/apikey-${key.toUpperCase()}`, '/apikey-IA_0123456789AB_…'],
    [`/${'x'.repeat(32)}/`, `/${'x'.repeat(32)}/`],
    [`/${'x'.repeat(34)}`, `/${'x'.repeat(33)}…`],
    ['*', '…'],
    ['', ''],
  ];
  for (const [path, shown] of table) assert.equal(showPath(path), shown, path);
});
