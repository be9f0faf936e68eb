/** `npm start`: installs, builds what is stale, and runs the gateway. Works on a machine with only Node 20 and npm. */
import { spawn } from 'node:child_process';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { ROOT } from './run.mjs';

await ensureInstalled();
await ensureBuilt();

const gateway = spawn(`${ROOT}/gatehouse`, ['start', ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
// The terminal sends Ctrl-C to both; a plain kill reaches only us and must be passed on, so that the gateway drains.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => gateway.kill(signal));
process.on('SIGINT', () => {});
gateway.on('close', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
