/**
 * Builds a real kube-apiserver 1.20 out of Debian's own source package, once per machine: nobody has one to download. Everything is fetched
 * as Debian packages and unpacked into one folder; nothing is installed. Ten minutes on two cores, 5 GB while it builds.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { debianMirror } from '../kubectl.mjs';
import { run } from '../run.mjs';

const FOLDER = process.env.GATEHOUSE_REAL_CLUSTER ?? join(homedir(), '.cache', 'gatehouse', 'real-cluster');
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const SUITE = 'bookworm';
/** `make` of Kubernetes calls rsync and column; the second is in bsdextrautils, which every Debian has. */
const PACKAGES = ['golang-1.19-go', 'golang-1.19-src', 'golang-github-modern-go-reflect2-dev', 'etcd-server', 'rsync'];

export const PROGRAMS = { apiserver: join(FOLDER, 'kube-apiserver'), etcd: join(FOLDER, 'root/usr/bin/etcd') };

/** Says what it does, and throws with what went wrong. */
export async function ensureRealCluster() {
  if (existsSync(PROGRAMS.apiserver) && existsSync(PROGRAMS.etcd)) return;
  const mirror = debianMirror();
  if (mirror === undefined) throw new Error('apt knows no Debian mirror here, and the server is built from Debian');
  const lists = join(FOLDER, 'lists');
  for (const name of ['lists/partial', 'archives/partial', 'debs', 'root', 'src'])
    mkdirSync(join(FOLDER, name), { recursive: true });
  writeFileSync(
    join(FOLDER, 'both.sources'),
    `Types: deb deb-src\nURIs: ${mirror}\nSuites: ${SUITE}\nComponents: main\nSigned-By: ${KEYRING}\n`,
  );
  const apt = async (cwd, ...args) =>
    await step('apt-get', ['-q', ...options(lists).flatMap((option) => ['-o', option]), ...args], cwd);
  await apt(FOLDER, 'update');
  await apt(join(FOLDER, 'debs'), 'download', ...PACKAGES);
  for (const file of readdirSync(join(FOLDER, 'debs')))
    await step('dpkg', ['-x', join(FOLDER, 'debs', file), join(FOLDER, 'root')], FOLDER);
  const source = join(FOLDER, 'src', 'kubernetes');
  if (!existsSync(source)) {
    await apt(join(FOLDER, 'src'), 'source', '--download-only', 'kubernetes');
    const [description] = readdirSync(join(FOLDER, 'src')).filter((file) => file.endsWith('.dsc'));
    await step('dpkg-source', ['--no-check', '-x', description, 'kubernetes'], join(FOLDER, 'src'));
  }
  mendSource(source);
  await make(source);
  renameSync(join(source, '_output/bin/kube-apiserver'), PROGRAMS.apiserver);
  // The program is what is kept: the tree it came from is fifty times as large.
  rmSync(join(FOLDER, 'src'), { recursive: true, force: true });
  rmSync(join(FOLDER, 'go-build'), { recursive: true, force: true });
}

function options(lists) {
  return [
    `Dir::Etc::sourcelist=${FOLDER}/both.sources`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${FOLDER}`,
    'Dir::State::status=/dev/null',
    'Acquire::Languages=none',
    'APT::Sandbox::User=',
  ];
}

/** What it brings along of reflect2 reads maps as Go 1.17 had them: built by 1.19 it dies at the first object that is sent to it. */
function mendSource(source) {
  const theirs = join(source, 'vendor/github.com/modern-go/reflect2');
  rmSync(theirs, { recursive: true, force: true });
  cpSync(join(FOLDER, 'root/usr/share/gocode/src/github.com/modern-go/reflect2'), theirs, { recursive: true });
  const path = join(source, '.go/src/k8s.io');
  mkdirSync(path, { recursive: true });
  if (!existsSync(join(path, 'kubernetes'))) symlinkSync(source, join(path, 'kubernetes'));
}

async function make(source) {
  const goroot = join(FOLDER, 'root/usr/lib/go-1.19');
  const env = {
    GOROOT: goroot,
    GOPATH: join(source, '.go'),
    GOCACHE: join(FOLDER, 'go-build'),
    CGO_ENABLED: '0',
    PATH: [join(goroot, 'bin'), join(FOLDER, 'root/usr/bin'), process.env.PATH].join(':'),
  };
  await step('nice', ['make', 'WHAT=cmd/kube-apiserver'], join(source, '.go/src/k8s.io/kubernetes'), env);
}

async function step(command, args, cwd, env = {}) {
  process.stdout.write(`${command} ${args.at(0)} …\n`);
  const { code, output } = await run(
    'env',
    [...Object.entries(env).map(([name, value]) => `${name}=${value}`), command, ...args],
    {
      cwd,
      capture: true,
    },
  );
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output.trim().split('\n').slice(-15).join('\n')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureRealCluster();
