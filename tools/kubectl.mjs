/**
 * Brings the two kubectl that tests drive: 1.20 of Debian 12, which streams by SPDY alone, and 1.32 of Debian 13, which streams by
 * websocket first. Unpacked into the cache and never installed: a kubectl of the machine's own stays what it is.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './run.mjs';

const CACHE = join(ROOT, '.cache', 'kubectl');
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const KUBECTLS = [
  { version: '1.20', suite: 'bookworm', name: 'kubernetes-client' },
  { version: '1.32', suite: 'trixie', name: 'kubectl' },
];

/** Returns those that tests cannot do without and that could not be had, each with what went wrong. */
export function ensureKubectls() {
  return KUBECTLS.filter(({ version }) => !existsSync(programOf(version))).flatMap((wanted) => {
    process.stdout.write(`Fetching kubectl ${wanted.version} for tests …\n`);
    const failure = fetchKubectl(wanted);
    return failure === undefined ? [] : [`kubectl ${wanted.version} (${failure})`];
  });
}

function programOf(version) {
  return join(CACHE, version, 'kubectl');
}

function fetchKubectl({ version, suite, name }) {
  const mirror = debianMirror();
  if (mirror === undefined) return 'apt knows no Debian mirror here';
  const work = join(CACHE, `fetch-${version}-${process.pid}`);
  try {
    mkdirSync(join(work, 'lists', 'partial'), { recursive: true });
    mkdirSync(join(work, 'archives', 'partial'), { recursive: true });
    writeFileSync(
      join(work, 'one.sources'),
      `Types: deb\nURIs: ${mirror}\nSuites: ${suite}\nComponents: main\nSigned-By: ${KEYRING}\n`,
    );
    const apart = [
      `Dir::Etc::sourcelist=${work}/one.sources`,
      'Dir::Etc::sourceparts=-',
      `Dir::State::lists=${work}/lists`,
      `Dir::Cache=${work}`,
      // A kubectl that is installed from elsewhere would be the newest, and that one nobody here has.
      'Dir::State::status=/dev/null',
      'Acquire::Languages=none',
      // As root, apt fetches as another user, who may not look into this folder.
      'APT::Sandbox::User=',
    ].flatMap((option) => ['-o', option]);
    for (const args of [['update'], ['download', name]]) {
      const failure = quietly('apt-get', ['-q', ...apart, ...args], work);
      if (failure !== undefined) return failure;
    }
    const archive = readdirSync(work).find((file) => file.endsWith('.deb'));
    if (archive === undefined) return `Debian's ${suite} has no ${name}`;
    const unpacked = join(work, 'unpacked');
    const failure = quietly('dpkg', ['-x', archive, unpacked], work);
    if (failure !== undefined) return failure;
    mkdirSync(join(CACHE, version), { recursive: true });
    // Whoever finds it there finds the whole of it: two that fetch at once do not see half of each other's.
    const half = join(CACHE, version, `kubectl.${process.pid}`);
    copyFileSync(join(unpacked, 'usr', 'bin', 'kubectl'), half);
    renameSync(half, programOf(version));
    return undefined;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What went wrong, in its last line; nothing when it went well. */
function quietly(command, args, cwd) {
  const { error, status, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  if (error) return error.message;
  return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `${command} ended with ${status}`);
}

/** Where this machine has its own packages from: whatever is allowed to be asked here is written there. */
export function debianMirror() {
  const parts = '/etc/apt/sources.list.d';
  const found = [
    '/etc/apt/sources.list',
    ...(existsSync(parts) ? readdirSync(parts).map((file) => join(parts, file)) : []),
  ]
    .filter((path) => /\.(list|sources)$/.test(path) && existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .filter((line) => /^(deb |URIs:)/.test(line))
    .flatMap((line) => /https?:\/\/\S+/.exec(line) ?? []);
  return found.find((address) => /\/debian\/?$/.test(address));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = ensureKubectls();
  if (missing.length > 0) {
    process.stderr.write(`could not be had: ${missing.join(', ')}\n`);
    process.exit(1);
  }
}
