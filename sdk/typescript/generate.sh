#!/usr/bin/env bash
# Makes package/image-analysis-*.tgz, to be given to `npm install`. Needs `npm ci` at the top.
set -euo pipefail
cd "$(dirname "$0")/../.."

package=sdk/typescript/package
rm -rf $package
npx tsc --project sdk/typescript
cp sdk/typescript/README.md LICENSE $package/
node dist/sdk/typescript/write-package.js $package
(cd $package && npm pack --silent)
