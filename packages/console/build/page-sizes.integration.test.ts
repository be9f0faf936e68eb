/** Weighs the console as it was built: what a page or a flow needs at first stays within its budget. `npm run sizes -w @gatehouse/console` names the files. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { expect, test } from 'vitest';
import { filesWithCatalogue, pageSizes } from './page-sizes.ts';

/** What packs files is built in its own way on each architecture, and packs the same file a little better or worse. */
const PACKERS_DIFFER = 1.01;
const ASSETS = join(import.meta.dirname, '../dist/assets');

test('every first page and every flow of enrolling is within its budget', async () => {
  const sizes = await pageSizes();

  expect(sizes.map(({ title }) => title).filter((title) => title.includes('-flow.tsx'))).toHaveLength(5);
  for (const { title, total } of sizes) expect(total, title).toBeGreaterThan(5_000);
  const broken = sizes.filter(({ total, budget }) => total > budget * PACKERS_DIFFER);
  expect(broken.map(({ title, total, budget }) => `${title}: ${total} of ${budget} bytes`)).toEqual([]);
});

test('no page fetches the catalogue of events at first, or what routes say of themselves for the OpenAPI document', async () => {
  expect(await filesWithCatalogue()).toEqual([]);

  const said = clusterRoutes.postAlert.summary;
  const code = (await readdir(ASSETS)).filter((file) => file.endsWith('.js'));
  const texts = code.map((file) => ({ file, text: readFileSync(join(ASSETS, file), 'utf8') }));
  // The route itself is there: it is not the file that is missing.
  expect(texts.filter(({ text }) => text.includes(clusterRoutes.postAlert.path))).not.toEqual([]);
  expect(texts.filter(({ text }) => text.includes(said)).map(({ file }) => file)).toEqual([]);
});
