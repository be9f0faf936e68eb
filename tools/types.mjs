/** Type-checks everything, two programs at a time. Packages that run on the same side are one program, so that shared sources are read once. What was found is kept in .cache/, and only what changed since is looked at again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './run.mjs';

const PROGRAMS = [
  'tsconfig.node.json',
  'tsconfig.tools.json',
  'packages/console',
  'packages/contract',
  'packages/design',
];
const KEPT = join(ROOT, '.cache', 'types');
/** Checkers of one program do much of each other's work again, and two programs keep two cores busy already. */
const ONE_CHECKER = ['--checkers', '1'];
/** Memory is there to be used: to sweep it less often saves a quarter of the time. */
const SWEEP_LATE = { GOGC: '400' };
let failed = 0;

async function checkNext() {
  for (let program = PROGRAMS.shift(); program; program = PROGRAMS.shift()) {
    const kept = join(KEPT, `${program.replaceAll('/', '-')}.tsbuildinfo`);
    const { code, output } = await run(
      'tsc',
      ['-p', program, ...ONE_CHECKER, '--incremental', '--tsBuildInfoFile', kept],
      { capture: true, env: SWEEP_LATE },
    );
    if (code === 0) continue;
    failed += 1;
    process.stdout.write(output);
  }
}

mkdirSync(KEPT, { recursive: true });
await Promise.all([checkNext(), checkNext()]);
process.exit(failed === 0 ? 0 : 1);
