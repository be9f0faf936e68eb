import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '../..');
/** Lists of what can be fetched; whoever fetches goes through `fetchCode`. */
const LISTS = new Set(['app/public-screens.ts', 'app/screens.ts', 'platform/i18n/words.ts']);

/** Rows of kinds say where their screens and flows are, as the list of screens does; who reads them fetches. */
const isList = (file: string) => LISTS.has(file) || /^kinds\/[^/]+\/[^/]+-(?:screen|flows)\.ts$/.test(file);

test('every part of the console is fetched so that a gateway that is away takes nothing from the screen', () => {
  const bare = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
    .filter((file) => !/\.test\.tsx?$/.test(file) && !file.includes('testing/') && !isList(file))
    .filter((file) => {
      const text = readFileSync(join(SOURCES, file), 'utf8');
      const fetched = text.replaceAll(/(?:fetch(?:Code|ForAction)|lazyPart)\(\s*\(\) =>\s*import\(/g, '');
      return /\bimport\(/.test(fetched.replaceAll(/`import\(\)`/g, ''));
    });
  expect(bare).toEqual([]);
});
