import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { Command } from 'commander';
import { createAdminProgram } from '../../core-server/features/admin/cli/program.js';
import { storeDefaults } from '../../core-server/store/database.js';
import { adminApi, publicApi } from '../../rest-facade/apis.js';
import { createConfig, requestLimitsOf } from '../../rest-facade/config.js';
import { refusalsOf } from '../../rest-facade/openapi/refusals.js';
import { loadRpcs } from '../../rest-facade/protos/rpcs.js';
import { checkQuery } from '../../rest-facade/request/check-names.js';
import { createRoutes } from '../../rest-facade/request/create-routes.js';
import { renderError } from '../../rest-facade/response/http-error.js';
import { references } from './references.js';

describe('the references', () => {
  for (const [file, render] of Object.entries(references))
    it(`has ${file} as the code says: "npm run docs"`, () => {
      assert.equal(readFileSync(file, 'utf8'), render());
    });
});

describe('the tables of operations', () => {
  for (const [file, { protoFiles }] of Object.entries({ 'README.md': publicApi, 'docs/administration.md': adminApi }))
    it(`are complete in ${file}`, () => {
      const rows = readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => (line.split('|')[1] ?? '').split(/[`, ]+/));
      const operations = createRoutes(loadRpcs(protoFiles)).map(({ verb, template }) => [verb, template]);
      assert.deepEqual(
        operations.filter((words) => !rows.some((row) => words.every((word) => row.includes(word)))),
        [],
      );
    });
});

describe('docs/errors.md', () => {
  it('shows a refusal as the service gives it', () => {
    const [, shown = ''] = /```json\n([^]*?)```/.exec(readFileSync('docs/errors.md', 'utf8')) ?? [];
    const example = JSON.parse(shown) as { readonly request_id: string };
    const routes = createRoutes(loadRpcs()).filter(({ template }) => template === '/face_detect_single');
    const refusal = refusalsOf(routes, requestLimitsOf(createConfig({}))).get('INVALID_SCORE');
    assert.deepEqual(example, refusal && JSON.parse(renderError(refusal, example.request_id).body));
  });
});

describe('SECURITY.md', () => {
  it('names tests that there are', () => {
    const lines =
      readFileSync('SECURITY.md', 'utf8')
        .match(/^`[^]*?\n$/gm)
        ?.join('') ?? '';
    const names = [...lines.matchAll(/`([\w-]+\/[\w/-]+)`/g)].map(([, name = '']) => `tests/${name}`);
    assert.ok(names.length > 40, `${names.length} names`);
    assert.deepEqual(
      names.filter((name) => !existsSync(name) && !existsSync(`${name}.test.ts`)),
      [],
    );
  });
});

describe('docs/scaling.md', () => {
  it('names the connections and the statement timeout of the code, and what the manifests add up to', () => {
    const text = readFileSync('docs/scaling.md', 'utf8');
    const { maxConnections, statementTimeoutMs } = storeDefaults;
    const seconds = statementTimeoutMs / 1_000;
    const core = readFileSync('deploy/kubernetes/base/core.yaml', 'utf8');
    const maxReplicas = Number(/maxReplicas: (\d+)/.exec(core)?.[1]);
    for (const said of [
      `up to ${maxConnections} connections`,
      `take ${maxReplicas * maxConnections}, and up to ${2 * maxReplicas * maxConnections} during a rollout`,
      `cancelled after ${seconds} s`,
      `statement_timeout = '${seconds}s'`,
    ])
      assert.ok(text.includes(said), said);
  });
});

describe('docs/migrating.md', () => {
  it('names parameters of CompreFace that are ignored, and our own that are refused', () => {
    const rows = readFileSync('docs/migrating.md', 'utf8').matchAll(/^\| query `(\w+)[^`]*` \| form field `(\w+)/gm);
    const route = createRoutes(loadRpcs()).find(({ template }) => template === '/face_detect_multi');
    assert.ok(route);
    const check = (name: string) => checkQuery(route, [{ name, value: '1' }]);
    const names = [...rows];
    assert.equal(names.length, 3);
    for (const [, theirs = '', ours = ''] of names) {
      check(theirs);
      assert.throws(() => check(ours), { reason: 'INVALID_FIELD' });
    }
  });
});

const files = ['.', 'docs', 'deploy', 'samples', 'sdk', 'bench', 'models/face', 'models/meter']
  .concat(readdirSync('sdk').map((name) => `sdk/${name}`))
  .filter((folder) => existsSync(folder) && !folder.endsWith('.sh') && !folder.endsWith('.md'))
  .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)))
  .filter((file) => file.endsWith('.md'));

describe('the documents', () => {
  it('is there', () => {
    assert.ok(files.length > 20, files.join(', '));
  });

  for (const file of files)
    it(`links from ${file} to what exists`, () => {
      for (const { target, anchor } of linksOf(file)) {
        const linked = target === '' ? file : path.join(path.dirname(file), target);
        assert.ok(existsSync(linked), `${file} links to ${target}`);
        if (anchor) assert.ok(anchorsOf(linked).has(anchor), `${file} links to ${target}#${anchor}`);
      }
    });
});

describe('the commands of the documents', () => {
  const makefile = readFileSync('Makefile', 'utf8');
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

  for (const file of files)
    it(`exists where ${file} names targets of make and scripts of npm`, () => {
      const text = readFileSync(file, 'utf8');
      for (const [, target = ''] of text.matchAll(/(?:^|`)make ([a-z-]+)/gm))
        assert.match(makefile, new RegExp(`^${target}:`, 'm'));
      for (const [, script = ''] of text.matchAll(/npm run (?:--?\S+ )?([a-z:]+)/g))
        assert.ok(script in scripts, script);
    });

  it('install the compiler too where NODE_ENV is production', () => {
    const [install = ''] = /npm ci.*/.exec(makefile) ?? [];
    const env = { ...process.env, NODE_ENV: 'production' };
    const changes = execSync(`${install} --dry-run --offline`, { env, encoding: 'utf8' });
    assert.doesNotMatch(changes, /^remove typescript /m);
  });
});

describe('the admin commands that are shown', () => {
  const shown = [
    ...files,
    'deploy/compose.yaml',
    'rest-facade/openapi/create-document.ts',
    'rest-facade/web/console/index.html',
    'rest-facade/web/console/api.ts',
  ].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?:run admin --|admin-cli\.js) ([^`"<#\n]+)/g)].map(
      ([, command = '']) => ({ file, command: command.trim() }),
    ),
  );

  it('is found', () => {
    assert.ok(shown.length > 8, String(shown.length));
  });

  for (const { file, command } of shown)
    it(`runs as ${file} has it: ${command}`, async () => {
      await assert.rejects(parseAdminCommand(command), { message: /^(reached the store|\(out.*)$/ });
    });
});

/** Rejects with "reached the store", with "(outputHelp)", or with what is wrong with the command line. */
async function parseAdminCommand(command: string): Promise<void> {
  const program = createAdminProgram({
    withHandlers: () => Promise.reject(new Error('reached the store')),
    backUp: () => Promise.reject(new Error('reached the store')),
    write: () => {},
    readPassword: () => Promise.resolve('a password'),
  });
  const silence = (part: Command) => {
    part.configureOutput({ writeOut: () => {}, writeErr: () => {} });
    part.commands.forEach(silence);
  };
  silence(program);
  await program.parseAsync(command.split(' '), { from: 'user' });
}

/** Links to files and headings of this repository. */
function linksOf(file: string): { target: string; anchor: string | undefined }[] {
  return [...withoutCode(file).matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].map(
    ([, target = '', anchor]) => ({ target, anchor }),
  );
}

/** As the usual viewers make them of headings; the second of a name gets -1. */
function anchorsOf(file: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(file).matchAll(/^#+ (.+)$/gm)) {
    const name = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = name;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

function withoutCode(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/^```[^]*?^```/gm, '');
}
