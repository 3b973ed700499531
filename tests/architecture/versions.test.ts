import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// A release has one version, which these files say each in its own way.

const inToml = /^version = "(.*)"$/m;
const inMaven = /<artifactId>image-analysis-client<\/artifactId>\s*<version>(.*)<\/version>/;
const patterns = {
  'package.json': /"version": "(.*)"/,
  'package-lock.json': /"version": "(.*)"/,
  'CHANGELOG.md': /^## (\S+)/m,
  'deploy/kubernetes/base/kustomization.yaml': /newTag: (.*)/,
  'sdk/csharp/src/ImageAnalysis.Client/ImageAnalysis.Client.csproj': /<Version>(.*)<\/Version>/,
  'sdk/java/README.md': inMaven,
  'sdk/java/pom.xml': inMaven,
  'sdk/python/pyproject.toml': inToml,
  'sdk/rust/Cargo.lock': /^name = "image-analysis-client"\nversion = "(.*)"$/m,
  'sdk/rust/Cargo.toml': inToml,
};

test('all packages, the image and the changelog have one version', () => {
  const versions = Object.entries(patterns).map(([file, pattern]) => [
    file,
    pattern.exec(readFileSync(file, 'utf8'))?.[1],
  ]);
  const [[, version] = []] = versions;
  assert.deepEqual(Object.fromEntries(versions), Object.fromEntries(versions.map(([file]) => [file, version])));
});
