/** `npm start`: installs, builds what is stale, and runs the gateway with an agent for this machine. Works on a machine with only Node 20 and npm. */
import { spawn } from 'node:child_process';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { ROOT } from './run.mjs';

const parent = process.ppid;

await ensureInstalled();
await ensureBuilt();

// What is typed comes last and wins: npm start -- --no-local-agent
const args = ['start', '--local-agent', ...process.argv.slice(2)];
const gateway = spawn(`${ROOT}/gatehouse`, args, { cwd: ROOT, stdio: 'inherit' });
// The terminal sends Ctrl-C to both; a plain kill reaches only us and must be passed on, so that the gateway drains.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => gateway.kill(signal));
process.on('SIGINT', () => {});
// Machines that join later need it; nobody has to wait for it now.
spawn(process.execPath, [`${ROOT}/tools/agent-archives.mjs`, '--quiet'], { cwd: ROOT, stdio: 'ignore' }).unref();
gateway.on('close', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));

/** npm that was killed cannot tell us: without this the gateway would keep the port and nobody would know whose it is. */
if (process.env.npm_lifecycle_event === 'start') {
  setInterval(() => {
    if (process.ppid !== parent) gateway.kill('SIGTERM');
  }, 1_000).unref();
}
