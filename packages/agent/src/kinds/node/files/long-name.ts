/** One line about a file as `ls -l` prints it, which clients show as it is. */
import { constants, type Stats } from 'node:fs';

const TYPES: Record<number, string> = {
  [constants.S_IFDIR]: 'd',
  [constants.S_IFLNK]: 'l',
  [constants.S_IFCHR]: 'c',
  [constants.S_IFBLK]: 'b',
  [constants.S_IFIFO]: 'p',
  [constants.S_IFSOCK]: 's',
};
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;
const HALF_YEAR_MS = 182 * DAY_MS;

export interface AccountNames {
  user(uid: number): string;
  group(gid: number): string;
}

export function longNameOf(name: Buffer, stats: Stats, accounts: AccountNames, now: number): Buffer {
  const { mode, nlink, uid, gid, size, mtimeMs } = stats;
  const line = [
    modeText(mode),
    String(nlink).padStart(3),
    accounts.user(uid).padEnd(8),
    accounts.group(gid).padEnd(8),
    String(size).padStart(8),
    timeText(new Date(mtimeMs), now),
  ].join(' ');
  return Buffer.concat([Buffer.from(`${line} `), name]);
}

function modeText(mode: number): string {
  const special = [
    { bit: 0o4000, letter: 's' },
    { bit: 0o2000, letter: 's' },
    { bit: 0o1000, letter: 't' },
  ];
  const triples = special.map(({ bit, letter }, index) => {
    const bits = mode >> (6 - 3 * index);
    const run = bits & 1 ? 'x' : '-';
    const set = bits & 1 ? letter : letter.toUpperCase();
    return `${bits & 4 ? 'r' : '-'}${bits & 2 ? 'w' : '-'}${mode & bit ? set : run}`;
  });
  return (TYPES[mode & constants.S_IFMT] ?? '-') + triples.join('');
}

function timeText(time: Date, now: number): string {
  const age = now - time.getTime();
  const recent = age > -DAY_MS && age < HALF_YEAR_MS;
  const clock = `${String(time.getHours()).padStart(2, '0')}:${String(time.getMinutes()).padStart(2, '0')}`;
  const last = recent ? clock : String(time.getFullYear()).padStart(5);
  return `${MONTHS[time.getMonth()]} ${String(time.getDate()).padStart(2)} ${last}`;
}
