/** Names of users and groups from the machine's own lists. Those of directory services are shown as numbers. */
import { readFileSync } from 'node:fs';
import type { AccountNames } from './long-name.ts';

export interface AccountFiles {
  users: string;
  groups: string;
}

export function readAccountNames(
  { users, groups }: AccountFiles = { users: '/etc/passwd', groups: '/etc/group' },
): AccountNames {
  let userNames: Map<number, string> | undefined;
  let groupNames: Map<number, string> | undefined;
  return {
    user(uid) {
      userNames ??= namesIn(users);
      return userNames.get(uid) ?? String(uid);
    },
    group(gid) {
      groupNames ??= namesIn(groups);
      return groupNames.get(gid) ?? String(gid);
    },
  };
}

function namesIn(file: string): Map<number, string> {
  const names = new Map<number, string>();
  let lines: string[] = [];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    // Numbers do as well.
  }
  for (const line of lines) {
    const [name = '', , id = ''] = line.split(':');
    // The first of several names is the one the system answers with.
    if (name !== '' && /^\d+$/.test(id) && !names.has(Number(id))) names.set(Number(id), name);
  }
  return names;
}
