import { readFileSync, writeFileSync } from 'node:fs';

// `node write-package.js FOLDER`: writes the package.json of the client package, derived from the
// repository's, so that names, versions and exports are defined once.

interface Package {
  readonly exports: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly [member: string]: unknown;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('want the folder of the package');
const root = JSON.parse(readFileSync('package.json', 'utf8')) as Package;

const needed = ['@bufbuild/protobuf', '@grpc/grpc-js'];
const clientPackage = {
  name: root['name'],
  version: root['version'],
  description: 'Client of the image analysis service over gRPC (Node.js) and REST (browsers too)',
  license: root['license'],
  type: root['type'],
  engines: root['engines'],
  exports: Object.fromEntries(['./client', './rest'].map((name) => [name, root.exports[name]])),
  sideEffects: false,
  // The client is used in other programs: they should get patches within the same major version.
  dependencies: Object.fromEntries(needed.map((name) => [name, `^${root.dependencies[name]}`])),
};
writeFileSync(`${folder}/package.json`, `${JSON.stringify(clientPackage, undefined, 2)}\n`);
