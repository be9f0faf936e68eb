/** Type-checks every package, two at a time. */
import { existsSync, globSync } from 'node:fs';
import { run } from './run.mjs';

const projects = [...globSync('packages/*'), 'e2e', 'bench', 'tools'].filter((path) =>
  existsSync(`${path}/tsconfig.json`),
);
let failed = 0;

async function checkNext() {
  for (let project = projects.shift(); project; project = projects.shift()) {
    const { code, output } = await run('tsc', ['-p', project], { capture: true });
    if (code === 0) continue;
    failed += 1;
    process.stdout.write(output);
  }
}

await Promise.all([checkNext(), checkNext()]);
process.exit(failed === 0 ? 0 : 1);
