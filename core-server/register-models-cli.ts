import { manifestUrl } from './inference/models/manifest.js';
import { registerModels } from './inference/models/register-models.js';

const changed = await registerModels(manifestUrl, new Date().toISOString().slice(0, 10));
process.stdout.write(changed.length > 0 ? `registered: ${changed.join(', ')}\n` : 'nothing changed\n');
