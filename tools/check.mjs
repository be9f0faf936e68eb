/** `npm run check`: types, lint, architecture and the quick tests, for use while working. The slow ones (`*.thorough.test.ts`) are for `npm test`. */
import { ensureInstalled } from './install.mjs';
import { run } from './run.mjs';

await ensureInstalled();
const started = performance.now();
const [types, lint, unit] = await Promise.all([
  run('node', ['tools/types.mjs'], { capture: true }),
  run('biome', ['check', '--error-on-warnings', '.'], { capture: true }),
  run('vitest', ['run', '--project', 'unit', '--project', 'dom']),
]);
if (types.code !== 0) process.stdout.write(types.output);
if (lint.code !== 0) process.stdout.write(lint.output);

const word = (name, code) => `${name} ${code === 0 ? 'ok' : 'FAILED'}`;
const seconds = Math.round((performance.now() - started) / 1000);
process.stdout.write(
  `${word('types', types.code)}, ${word('lint', lint.code)}, ${word('unit', unit.code)} in ${seconds} s\n`,
);
process.exit(types.code || lint.code || unit.code);
