/** Type-checks everything, two programs at a time. Packages that run on the same side are one program, so that shared sources are read once. */
import { run } from './run.mjs';

const PROGRAMS = [
  'tsconfig.node.json',
  'tsconfig.tools.json',
  'packages/console',
  'packages/contract',
  'packages/design',
];
let failed = 0;

async function checkNext() {
  for (let program = PROGRAMS.shift(); program; program = PROGRAMS.shift()) {
    const { code, output } = await run('tsc', ['-p', program], { capture: true });
    if (code === 0) continue;
    failed += 1;
    process.stdout.write(output);
  }
}

await Promise.all([checkNext(), checkNext()]);
process.exit(failed === 0 ? 0 : 1);
