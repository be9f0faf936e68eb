/**
 * Adds to the lock file the optional packages of other platforms that a registry mirror does not have. npm leaves out what
 * it cannot fetch, and `npm ci` then refuses the lock file everywhere. On Linux none of them is ever downloaded.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './run.mjs';

const SYSTEMS = ['darwin', 'win32', 'android', 'freebsd', 'openbsd', 'netbsd', 'sunos', 'aix', 'openharmony', 'linux'];
const PROCESSORS = ['arm64', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'mips64el', 'wasm32', 'arm'];

/** Optional packages that are named in the lock file and have no entry of their own: name, version, who asks. */
export function missingOptional(lock) {
  return Object.entries(lock.packages).flatMap(([path, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !lock.packages[`${path}/node_modules/${name}`] && !lock.packages[`node_modules/${name}`])
      .map(([name, version]) => ({ name, version, dev: entry.dev === true })),
  );
}

function entryFor({ name, version, dev }) {
  const short = name.split('/').at(-1);
  const os = SYSTEMS.find((system) => short.includes(system));
  const cpu = PROCESSORS.find((processor) => short.includes(processor));
  if (!os || !cpu || !/^\d/.test(version)) throw new Error(`no platform can be read from ${name}@${version}`);
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev: true } : {}),
    ...(short.includes('musl') ? { libc: ['musl'] } : short.includes('gnu') ? { libc: ['glibc'] } : {}),
    optional: true,
    os: [os],
  };
}

export function completeLock(lock) {
  const added = missingOptional(lock).map((wanted) => [`node_modules/${wanted.name}`, entryFor(wanted)]);
  const entries = [...Object.entries(lock.packages), ...added].sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...lock, packages: Object.fromEntries(entries) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = join(ROOT, 'package-lock.json');
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, `${JSON.stringify(completeLock(lock), undefined, 2)}\n`);
}
