import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countProcessors } from '../../../runtime/process/count-processors.js';

test('processors are counted as far as the quotas of the control group allow them', () => {
  const table: [files: Record<string, string>, count: number][] = [
    [{}, 8],
    [{ '/proc/self/cgroup': '0::/\n' }, 8],
    [{ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n' }, 8],
    [{ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '250000 100000\n' }, 2],
    [{ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '50000 100000\n' }, 1],
    [{ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '6400000 100000\n' }, 8],
    // The quota of a group, and of one above it.
    [
      {
        '/proc/self/cgroup': '0::/system.slice/analysis.service\n',
        '/sys/fs/cgroup/system.slice/analysis.service/cpu.max': '300000 100000\n',
      },
      3,
    ],
    [
      {
        '/proc/self/cgroup': '0::/system.slice/analysis.service\n',
        '/sys/fs/cgroup/system.slice/cpu.max': '200000 100000\n',
        '/sys/fs/cgroup/system.slice/analysis.service/cpu.max': '300000 100000\n',
      },
      2,
    ],
    // A group outside of what the container sees.
    [{ '/proc/self/cgroup': '0::/../..\n', '/sys/fs/cgroup/cpu.max': '200000 100000\n' }, 8],
  ];
  for (const [files, count] of table) {
    const read = (file: string) => files[file] ?? '';
    assert.equal(countProcessors({ available: 8, read }), count, JSON.stringify(files));
  }
});
