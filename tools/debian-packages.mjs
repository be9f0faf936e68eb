/** The Debian packages the tests use, and how to get those that are missing. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

const NEEDED = [
  { name: 'chromium', present: () => existsSync('/usr/bin/chromium') },
  { name: 'postgresql', present: hasPostgres },
  { name: 'openssh-server', present: () => existsSync('/usr/sbin/sshd') },
  { name: 'openssh-client', present: () => existsSync('/usr/bin/sftp') && existsSync('/usr/bin/ssh-keygen') },
  { name: 'nginx-light', present: () => existsSync('/usr/sbin/nginx') },
  { name: 'curl', present: () => existsSync('/usr/bin/curl') },
  { name: 'vim', present: () => existsSync('/usr/bin/vim') },
  { name: 'less', present: () => existsSync('/usr/bin/less') },
  { name: 'tmux', present: () => existsSync('/usr/bin/tmux') },
  { name: 'procps', present: () => existsSync('/usr/bin/top') },
  { name: 'shellcheck', present: () => existsSync('/usr/bin/shellcheck') },
];

/** Installs what is missing where it may; returns the names of what still is. */
export function ensureDebianPackages() {
  const missing = missingPackages();
  if (missing.length === 0) return [];
  process.stdout.write(`Installing Debian packages: ${missing.join(' ')} …\n`);
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  apt(asRoot, ['update']);
  apt(asRoot, ['install', '-y', '--no-install-recommends', ...missing]);
  return missingPackages();
}

function missingPackages() {
  return NEEDED.filter(({ present }) => !present()).map(({ name }) => name);
}

function apt(asRoot, args) {
  const [command, ...rest] = [...asRoot, 'apt-get', '-q', ...args];
  spawnSync(command, rest, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

function hasPostgres() {
  const versions = '/usr/lib/postgresql';
  return (
    existsSync(versions) && readdirSync(versions).some((version) => existsSync(`${versions}/${version}/bin/postgres`))
  );
}
