import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '../..');
/** Lists of what can be fetched; whoever fetches goes through `fetchCode`. */
const LISTS = new Set(['app/screens.ts', 'platform/i18n/words.ts']);

test('every part of the console is fetched so that a gateway that is away takes nothing from the screen', () => {
  const bare = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
    .filter((file) => !/\.test\.tsx?$/.test(file) && !file.includes('testing/') && !LISTS.has(file))
    .filter((file) => {
      const text = readFileSync(join(SOURCES, file), 'utf8');
      const fetched = text.replaceAll(/fetch(Code|ForAction)\(\s*\(\) =>\s*import\(/g, '');
      return /\bimport\(/.test(fetched.replaceAll(/`import\(\)`/g, ''));
    });
  expect(bare).toEqual([]);
});
