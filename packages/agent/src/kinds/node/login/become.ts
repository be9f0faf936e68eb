/** Turns a process of root into one of a user, for good. */

export interface Become {
  login: string;
  uid: number;
  gid: number;
}

/** Throws unless the process is that user's alone afterwards, with the user's groups and no way back. */
export function become({ login, uid, gid }: Become): void {
  const { setgid, setuid, getuid, geteuid, getgid, getegid } = process;
  // Node has it, its types do not.
  const initgroups: unknown = Reflect.get(process, 'initgroups');
  if (typeof initgroups !== 'function' || !setgid || !setuid) throw new Error('this system has no users');
  if (getuid?.() === 0 && uid !== 0) {
    initgroups.call(process, login, gid);
    setgid.call(process, gid);
    setuid.call(process, uid);
  }
  const ids = [getuid?.(), geteuid?.(), getgid?.(), getegid?.()];
  if (ids.join() !== [uid, uid, gid, gid].join()) throw new Error(`this process could not become '${login}'`);
  if (uid !== 0 && canBecomeRoot()) throw new Error('this process could become root again');
}

function canBecomeRoot(): boolean {
  try {
    process.setuid?.(0);
    return true;
  } catch {
    return false;
  }
}
