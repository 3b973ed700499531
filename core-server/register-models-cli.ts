import { registerModels } from './inference/models/register-models.js';

// Compiled to dist/core-server/, while the models lie in the sources.
const manifest = new URL('../../models/manifest.json', import.meta.url);
const changed = await registerModels(manifest, new Date().toISOString().slice(0, 10));
process.stdout.write(changed.length > 0 ? `registered: ${changed.join(', ')}\n` : 'nothing changed\n');
