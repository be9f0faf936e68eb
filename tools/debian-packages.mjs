/** The Debian packages the tests use, and how to get those that are missing. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';

const INSTALL = ['install', '-y', '--no-install-recommends'];

const NEEDED = [
  { name: 'chromium', present: () => existsSync('/usr/bin/chromium') },
  { name: 'postgresql', present: hasPostgres },
  { name: 'mariadb-server', present: () => existsSync('/usr/sbin/mariadbd') },
  { name: 'mariadb-client', present: () => existsSync('/usr/bin/mariadb-dump') },
  { name: 'redis-server', present: () => existsSync('/usr/bin/redis-server') },
  { name: 'redis-tools', present: () => existsSync('/usr/bin/redis-cli') },
  { name: 'freetds-bin', present: () => existsSync('/usr/bin/tsql') },
  { name: 'openssh-server', present: () => existsSync('/usr/sbin/sshd') },
  { name: 'openssh-client', present: () => existsSync('/usr/bin/sftp') && existsSync('/usr/bin/ssh-keygen') },
  { name: 'putty-tools', present: () => existsSync('/usr/bin/plink') && existsSync('/usr/bin/puttygen') },
  { name: 'dropbear-bin', present: () => existsSync('/usr/bin/dbclient') && existsSync('/usr/bin/dropbearconvert') },
  { name: 'python3-paramiko', present: () => existsSync('/usr/lib/python3/dist-packages/paramiko') },
  { name: 'python3-asyncssh', present: () => existsSync('/usr/lib/python3/dist-packages/asyncssh') },
  { name: 'ansible-core', present: () => existsSync('/usr/bin/ansible') },
  { name: 'nginx-light', present: () => existsSync('/usr/sbin/nginx') },
  { name: 'curl', present: () => existsSync('/usr/bin/curl') },
  { name: 'vim', present: () => existsSync('/usr/bin/vim') },
  { name: 'less', present: () => existsSync('/usr/bin/less') },
  { name: 'tmux', present: () => existsSync('/usr/bin/tmux') },
  { name: 'procps', present: () => existsSync('/usr/bin/top') },
  { name: 'busybox', present: () => existsSync('/usr/bin/busybox') || existsSync('/bin/busybox') },
  { name: 'shellcheck', present: () => existsSync('/usr/bin/shellcheck') },
  { name: 'xrdp', present: () => existsSync('/usr/sbin/xrdp') },
  { name: 'xorgxrdp', present: () => existsSync('/usr/lib/xorg/modules/libxorgxrdp.so') },
  { name: 'fuse3', present: () => existsSync('/usr/bin/fusermount3') },
  { name: 'openbox', present: () => existsSync('/usr/bin/openbox') },
  { name: 'xterm', present: () => existsSync('/usr/bin/xterm') },
  { name: 'x11-xserver-utils', present: () => existsSync('/usr/bin/xsetroot') },
  { name: 'xauth', present: () => existsSync('/usr/bin/xauth') },
  { name: 'xvfb', present: () => existsSync('/usr/bin/Xvfb') },
  { name: 'xdotool', present: () => existsSync('/usr/bin/xdotool') },
  { name: 'xclip', present: () => existsSync('/usr/bin/xclip') },
  { name: 'freerdp2-shadow-x11', present: () => existsSync('/usr/bin/freerdp-shadow-cli') },
  { name: 'winpr-utils', present: () => existsSync('/usr/bin/winpr-hash') },
  { name: 'tigervnc-standalone-server', present: () => existsSync('/usr/bin/Xtigervnc') },
  { name: 'tigervnc-tools', present: () => existsSync('/usr/bin/tigervncpasswd') },
  { name: 'openssl', present: () => existsSync('/usr/bin/openssl') },
  { name: 'slapd', present: () => existsSync('/usr/sbin/slapd') },
  { name: 'python3-pysaml2', present: () => existsSync('/usr/lib/python3/dist-packages/saml2') },
];

/** Without the first tests take longer and are the same: the whole browser draws the pages then. Without the others those that ask a real Active Directory are left out. */
const WELCOME = [
  { name: 'chromium-headless-shell', present: () => existsSync('/usr/lib/chromium/chromium-headless-shell') },
  { name: 'samba-ad-dc', present: () => existsSync('/usr/sbin/samba') },
  { name: 'samba-ad-provision', present: () => existsSync('/usr/share/samba/setup/provision.ldif') },
  { name: 'ldb-tools', present: () => existsSync('/usr/bin/ldbadd') },
];

/** Installs what is missing where it may; returns the names of what tests cannot do without and still is. */
export function ensureDebianPackages() {
  const [missing, welcome] = [missingOf(NEEDED), missingOf(WELCOME)];
  if (missing.length + welcome.length === 0) return [];
  process.stdout.write(`Installing Debian packages: ${[...missing, ...welcome].join(' ')} …\n`);
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  apt(asRoot, ['update']);
  // Apart: a system that does not know the second gets the first all the same.
  for (const names of [missing, welcome]) if (names.length > 0) apt(asRoot, [...INSTALL, ...names]);
  return missingOf(NEEDED);
}

function missingOf(packages) {
  return packages.filter(({ present }) => !present()).map(({ name }) => name);
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
