/** Writes the configuration of ssh for the clusters that this user has chosen, and leads ssh to it. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import type { Io } from '../command.ts';
import { behindLink, replaceFile, writeOwn } from '../output/write-own.ts';
import { Failure } from '../runtime/failure.ts';
import { type HeldCluster, heldClusters, setIncluded, sshFolder } from './key-folder.ts';
import { pathWord, type SshConfigPlace, sshConfig, UnfitPath, withInclude } from './ssh-config.ts';

const HEAD =
  '# Written by gatehouse config ssh --write, and again at each gatehouse login and logout: changes here do not last.\n';

const PROBE_MS = 5_000;

/** What is printed, and written for one cluster. */
export async function configOf(io: Io, cluster: HeldCluster): Promise<string> {
  const warnsOfExchange = await knowsOption('WarnWeakCrypto=no');
  try {
    return sshConfig(cluster, { ...placeOf(io), warnsOfExchange }, cluster.overHttps ? cluster.origin : undefined);
  } catch (error) {
    throw error instanceof UnfitPath ? unfit(io) : error;
  }
}

/** Into the file that `includeConfig` leads ssh to; there is none before. */
export async function writeIncluded(io: Io): Promise<void> {
  const included = heldClusters(io).filter(({ isIncluded }) => isIncluded);
  const file = ownConfig(io);
  const isThere = await stat(file).then(
    () => true,
    () => false,
  );
  if (included.length === 0 && !isThere) return;
  const parts = await Promise.all(included.map((cluster) => configOf(io, cluster)));
  await writeOwn(file, [HEAD, ...parts].join('\n'));
}

/** Puts the cluster in, and one line into the configuration of ssh. Gives the file that has it. */
export async function includeConfig(io: Io, cluster: HeldCluster): Promise<string> {
  await configOf(io, cluster);
  await setIncluded(io, cluster);
  await writeIncluded(io);
  const named = join(homeOf(io), '.ssh', 'config');
  const file = await behindLink(named);
  const before = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Failure('usage', `'${file}' cannot be read: ${error.message}`);
  });
  const after = withInclude(before ?? Buffer.alloc(0), `Include ${pathWord(shown(io, ownConfig(io)))}`);
  if (before?.equals(after)) return named;
  const mode = before && (await stat(file)).mode & 0o777;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, after, mode).catch(async (error: Error) => {
    await rm(`${file}.new`, { force: true }).catch(() => {});
    throw new Failure('usage', `'${file}' cannot be written: ${error.message}`);
  });
  return named;
}

const ownConfig = (io: Io) => join(sshFolder(io), 'config');
const homeOf = ({ env }: Io) => env.HOME || homedir();

function placeOf(io: Io): Omit<SshConfigPlace, 'warnsOfExchange'> {
  const longFolder = sshFolder(io);
  return { folder: shown(io, longFolder), longFolder, platform: process.platform };
}

/** Whether the ssh that is here takes it. One that does not would end at it, whatever host is meant. */
async function knowsOption(option: string): Promise<boolean> {
  const args = ['-F', 'none', '-G', '-o', option, 'gatehouse'];
  return await new Promise((resolve) => {
    execFile('ssh', args, { timeout: PROBE_MS }, (error) => resolve(error === null));
  });
}

/** From the home folder, where that is the one ssh takes for it: it does not look at HOME. */
function shown(io: Io, path: string): string {
  const home = homeOf(io);
  const below = relative(home, path);
  const isBelow = below !== '' && !below.startsWith('..') && home === userInfo().homedir;
  // ssh for Windows takes slashes too, and a backslash begins something else within quotes.
  return (isBelow ? `~/${below}` : path).split(sep).join('/');
}

function unfit(io: Io): Failure {
  return new Failure(
    'failed',
    `'${sshFolder(io)}' holds characters that a configuration of ssh cannot carry: set XDG_CONFIG_HOME to another folder`,
  );
}
