/** What people of other clusters are called here: no local name has a slash. */

export interface RemoteName {
  trust: string;
  name: string;
}

export function remoteName({ trust, name }: RemoteName): string {
  return `${trust}/${name}`;
}

/** Undefined for a name of this cluster. */
export function readRemoteName(text: string): RemoteName | undefined {
  const at = text.indexOf('/');
  return at < 0 ? undefined : { trust: text.slice(0, at), name: text.slice(at + 1) };
}
