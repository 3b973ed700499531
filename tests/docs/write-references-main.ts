import { writeFileSync } from 'node:fs';
import { references } from './references.js';

for (const [file, render] of Object.entries(references)) writeFileSync(file, render());
