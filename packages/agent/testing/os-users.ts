/** OS users made for one test file and removed after it. Without root there is only the user who runs the tests. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export const IS_ROOT = process.getuid?.() === 0;

export interface OsUser {
  name: string;
  home: string;
}

export interface OsUsers {
  add(options?: { shell?: string; group?: string; expired?: boolean }): OsUser;
  removeAll(): void;
}

export function osUsers(): OsUsers {
  const made: OsUser[] = [];
  const groups: string[] = [];
  // Below /tmp a home would lie in a folder that some tests make unreadable.
  const homes = mkdtempSync(join('/var/tmp', 'gatehouse-homes-'));
  execFileSync('chmod', ['755', homes]);
  return {
    add({ shell = '/bin/bash', group, expired = false } = {}) {
      const name = `gh-${randomBytes(4).toString('hex')}`;
      const home = join(homes, name);
      if (group) {
        execFileSync('groupadd', ['-f', group]);
        groups.push(group);
      }
      const more = [...(group ? ['-G', group] : []), ...(expired ? ['-e', '2001-01-01'] : [])];
      execFileSync('useradd', ['-m', '-d', home, '-s', shell, ...more, name]);
      made.push({ name, home });
      return { name, home };
    },
    removeAll() {
      for (const { name } of made.splice(0)) execFileSync('userdel', ['-f', name], { stdio: 'ignore' });
      for (const group of groups.splice(0)) execFileSync('groupdel', [group], { stdio: 'ignore' });
      rmSync(homes, { recursive: true, force: true });
    },
  };
}
