/** `npm run dev`: the gateway restarts and the console reloads when their sources change. Open the address Vite prints. */
import { spawn } from 'node:child_process';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { BIN, pathWithPinnedNode, pinnedNode, ROOT } from './run.mjs';

await ensureInstalled();
await ensureBuilt();
const env = { ...process.env, PATH: pathWithPinnedNode() };
const children = [
  spawn(
    pinnedNode(),
    ['--watch', '--watch-preserve-output', 'packages/cli/src/gatehouse.ts', 'start', ...process.argv.slice(2)],
    {
      cwd: ROOT,
      env,
      stdio: 'inherit',
    },
  ),
  spawn(pinnedNode(), [`${BIN}/vite`], { cwd: `${ROOT}/packages/console`, env, stdio: 'inherit' }),
];
for (const child of children) {
  child.on('close', (code) => {
    stopAll('SIGTERM');
    process.exitCode = code ?? 0;
  });
}
function stopAll(signal) {
  for (const child of children) child.kill(signal);
}
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stopAll(signal));
