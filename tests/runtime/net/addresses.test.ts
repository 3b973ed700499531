import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callerAddress, proxyList } from '../../../runtime/net/addresses.js';

test('callers are told by their address, of IPv6 by their network', () => {
  const table = {
    '192.0.2.1': '192.0.2.1',
    '::ffff:192.0.2.1': '192.0.2.1',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:DB8:1:2::': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8::/64',
    '2001:0db8:0::1:8080': '2001:db8::/64',
    '::1': '::/64',
    'fe80::1%eth0': 'fe80::/64',
    'fe80::1%br-lan.2': 'fe80::/64',
    unknown: 'unknown',
    '': '',
  };
  for (const [peer, address] of Object.entries(table)) assert.equal(callerAddress(peer), address, peer);
});

test('a list of proxies with a mistake is refused', () => {
  for (const list of ['10.0.0.0/33', 'localhost', '10.0.0.0/x', '::1/129', '10.0.0.0/']) {
    assert.throws(() => proxyList.parse(list), /want addresses and networks such as/);
  }
});
