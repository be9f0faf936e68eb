/** `npm run fuzz -- TARGET… [--minutes N]`: throws hostile bytes at a gateway that runs as people run it. See fuzz/fuzz.ts. */
import { ensureBuilt } from './build.mjs';
import { ensureInstalled } from './install.mjs';
import { run } from './run.mjs';

await ensureInstalled();
await ensureBuilt();
const { code } = await run('node', ['fuzz/fuzz.ts', ...process.argv.slice(2)]);
process.exit(code);
