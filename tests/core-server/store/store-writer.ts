// A process of its own that writes to the store:
//   store-writer.js '{"dataDir": "..."}' register NAME   registers a company and ends
//   store-writer.js '{"dataDir": "..."}' count NAME      sets 1, 2, 3 … millionths until it is killed,
//                                                        and prints each once it was answered
import { createKnexCompanyStore } from '../../../core-server/access/companies/knex-company-store.js';
import { createDatabase, type DatabaseOptions } from '../../../core-server/store/database.js';

const [, , place = '{}', task, name = ''] = process.argv;
const db = await createDatabase(JSON.parse(place) as DatabaseOptions);

if (task === 'register') {
  await createKnexCompanyStore(db).insert(name, 'scrypt$', new Date());
} else {
  const scores = createKnexCompanyStore(db);
  for (let count = 1; count <= 1_000_000; count++) {
    await scores.setScore(name, count / 1e6);
    process.stdout.write(`answered ${count}\n`);
  }
}
await db.destroy();
